import path from 'node:path';
import type { LocalOperator } from './operators.ts';
import { readJson } from './private-file.ts';

type Local = { management_url: string; operators: LocalOperator[] };

/**
 * Returns undefined if no `npm start` has run here. Loads no schema, because every operator command reads
 * this file and only we can write it.
 */
export async function operatorsOfLocal(dataFolder: string): Promise<Local | undefined> {
  const local = (await readJson(path.join(dataFolder, 'local.json'))) as Local | undefined;
  return local?.operators && local;
}
