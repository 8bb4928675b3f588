import { createWriteStream, mkdirSync, renameSync } from 'node:fs';
import path from 'node:path';

/** Each process has a file in `logs/`, beside that of its previous run. */
export function createLogs(dataFolder: string): { writer(name: string): (line: string) => void } {
  const folder = path.join(dataFolder, 'logs');
  mkdirSync(folder, { recursive: true });
  return {
    writer(name) {
      const file = path.join(folder, `${name.toLowerCase()}.log`);
      try {
        renameSync(file, `${file}.previous`);
      } catch {
        // the first run
      }
      const stream = createWriteStream(file, { flags: 'a' });
      stream.on('error', () => {});
      return (line) => stream.write(`${line}\n`);
    },
  };
}
