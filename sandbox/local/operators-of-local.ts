import path from 'node:path';
import type { LocalOperator } from './operators.ts';
import { readJson } from './private-file.ts';

type Local = { management_url: string; operators: LocalOperator[] };

/** Undefined if no `npm start` has run here. Only we write the file, so no schema is loaded to check it. */
export async function operatorsOfLocal(dataFolder: string): Promise<Local | undefined> {
  const local = (await readJson(path.join(dataFolder, 'local.json'))) as Local | undefined;
  return local?.operators && local;
}
