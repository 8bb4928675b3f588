import { readFile, rename, rm, writeFile } from 'node:fs/promises';

/** Writes JSON that only its owner may read, atomically. */
export async function writePrivateJson(file: string, content: unknown): Promise<void> {
  const partial = `${file}.${process.pid}.partial`;
  await rm(partial, { force: true });
  await writeFile(partial, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  await rename(partial, file);
}

/** Returns the parsed content; undefined without a file. Throws one sentence if it is no JSON. */
export async function readJson(file: string): Promise<unknown> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`${file} is damaged: remove it, or the whole folder, to begin again.`);
  }
}
