import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

export type Pair = { cert: string; key: string };

/** Authorities and what they issue, made by openssl in a folder that `remove` takes away. */
export function createAuthorities(): {
  folder: string;
  authority(name: string): string;
  issue(by: string, name: string, how?: { days?: number; passphrase?: string }): Pair;
  remove(): void;
} {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'malipo-certificates-'));
  const read = (name: string) => readFileSync(path.join(folder, name), 'utf8');
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'];
  return {
    folder,
    authority(name) {
      const files = ['-keyout', `${name}.key`, '-out', `${name}.pem`];
      openssl('req', '-x509', ...newKey, '-nodes', ...files, '-subj', `/CN=${name}`, '-days', '400');
      return read(`${name}.pem`);
    },
    issue(by, name, { days = 90, passphrase } = {}) {
      const own = `${by}-${name}`;
      const secrecy = passphrase === undefined ? ['-nodes'] : ['-passout', `pass:${passphrase}`];
      const subject = ['-subj', `/CN=${name}`, '-addext', `subjectAltName=DNS:${name}`];
      openssl('req', ...newKey, ...secrecy, ...subject, '-keyout', `${own}.key`, '-out', `${own}.csr`);
      const signer = ['-CA', `${by}.pem`, '-CAkey', `${by}.key`, '-CAcreateserial'];
      const made = [
        '-in',
        `${own}.csr`,
        '-out',
        `${own}.pem`,
        '-copy_extensions',
        'copy',
        '-days',
        `${days}`,
      ];
      openssl('x509', '-req', ...signer, ...made);
      return { cert: read(`${own}.pem`), key: read(`${own}.key`) };
    },
    remove: () => rmSync(folder, { recursive: true }),
  };
}
