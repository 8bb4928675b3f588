import path from 'node:path';
import type { LocalOperator } from './operators.ts';
import { readJson } from './private-file.ts';

type Local = { management_url: string; operators: LocalOperator[] };

/** Undefined: no `npm start` has run here. Each command begins so: no schema is loaded for a file that only we write. */
export async function operatorsOfLocal(dataFolder: string): Promise<Local | undefined> {
  const local = (await readJson(path.join(dataFolder, 'local.json'))) as Local | undefined;
  return local?.operators && local;
}
