import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';

/** The bytes of a file; of standard input where its name is `-`. */
export function inputOf(file: string): Promise<Buffer> {
  return file === '-' ? buffer(process.stdin) : readFile(file);
}

/** A secret comes from a file, so that no other user of the machine sees it. A line break at its end does not count. */
export async function secretIn(file: string): Promise<string> {
  return (await inputOf(file)).toString('utf8').replace(/\r?\n$/, '');
}
