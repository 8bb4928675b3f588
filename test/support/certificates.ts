import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

export type Pair = { cert: string; key: string };

/** `nameless`: its name stands in CN alone; `authority`: it issues others, as `<by>-<name>`. */
type Issued = { days?: number; passphrase?: string; nameless?: true; authority?: true };

/** Authorities and what they issue, made by openssl in a folder that `remove` takes away. */
export function createAuthorities() {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'malipo-certificates-'));
  const read = (name: string) => readFileSync(path.join(folder, name), 'utf8');
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'];
  return {
    folder,
    authority(name: string): string {
      const files = ['-keyout', `${name}.key`, '-out', `${name}.pem`];
      openssl('req', '-x509', ...newKey, '-nodes', ...files, '-subj', `/CN=${name}`, '-days', '400');
      return read(`${name}.pem`);
    },
    issue(by: string, name: string, { days = 90, passphrase, nameless, authority }: Issued = {}): Pair {
      const own = `${by}-${name}`;
      const secrecy = passphrase === undefined ? ['-nodes'] : ['-passout', `pass:${passphrase}`];
      const extensions = [
        ...(nameless ? [] : ['-addext', `subjectAltName=DNS:${name}`]),
        ...(authority ? ['-addext', 'basicConstraints=critical,CA:TRUE'] : []),
      ];
      const subject = ['-subj', `/CN=${name}`, ...extensions];
      openssl('req', ...newKey, ...secrecy, ...subject, '-keyout', `${own}.key`, '-out', `${own}.csr`);
      const signer = ['-CA', `${by}.pem`, '-CAkey', `${by}.key`, '-CAcreateserial', '-days', `${days}`];
      const files = ['-in', `${own}.csr`, '-out', `${own}.pem`];
      openssl('x509', '-req', ...signer, ...files, '-copy_extensions', 'copy');
      return { cert: read(`${own}.pem`), key: read(`${own}.key`) };
    },
    remove: () => rmSync(folder, { recursive: true }),
  };
}
