import { keyRing } from '../../src/config/fields.ts';
import { createOperators } from '../../src/operators/people/operators.ts';
import { TOKEN_DAYS_MAX } from '../../src/operators/people/token-text.ts';
import type { Database } from '../../src/platform/db/pool.ts';
import { type LocalSecrets, saveSecrets } from './secrets.ts';

export type LocalOperator = { name: string; token: string };

/** Two operators, to try approval by a second person on one machine. Each has all roles. */
const NAMES = ['asha', 'juma'];
const ACTOR = 'npm start';

/** A second run changes nothing. */
export async function ensureOperators(options: {
  database: Database;
  dataFolder: string;
  secrets: LocalSecrets;
}): Promise<LocalOperator[]> {
  const { database, dataFolder, secrets } = options;
  const operators = createOperators({ database, hashSecrets: keyRing.parse(secrets.KEY_HASH_SECRET) });
  const known = new Set((await operators.list()).map(({ name }) => name));
  const found: LocalOperator[] = [];
  for (const name of NAMES) {
    let token = secrets.operators[name];
    if (token === undefined || (await operators.authenticate(token))?.name !== name) {
      if (!known.has(name)) {
        const roles = ['support', 'finance', 'admin'] as const;
        await operators.create({ name, email: `${name}@example.com`, roles, actor: ACTOR });
      }
      token = (await operators.issueToken({ operator: name, days: TOKEN_DAYS_MAX, actor: ACTOR })).token;
      secrets.operators[name] = token;
      await saveSecrets(dataFolder, secrets);
    }
    found.push({ name, token });
  }
  return found;
}
