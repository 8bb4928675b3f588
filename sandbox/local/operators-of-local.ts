import path from 'node:path';
import type { LocalOperator } from './operators.ts';
import { readJson } from './private-file.ts';

type Local = { management_url: string; operators: LocalOperator[] };

/**
 * Returns undefined if no `npm start` has run in this folder. Every operator command reads this file, so no
 * schema is loaded; only we can write the file.
 */
export async function operatorsOfLocal(dataFolder: string): Promise<Local | undefined> {
  const local = (await readJson(path.join(dataFolder, 'local.json'))) as Local | undefined;
  return local?.operators && local;
}
