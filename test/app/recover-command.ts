import { createProgram } from '../../src/app/cli/program.ts';
import { loadConfig } from '../../src/config/config.ts';
import { createRuns } from '../../src/operators/cli/context.ts';
import type { TestDatabase } from '../support/database.ts';
import { submissionKeys } from '../support/key-rings.ts';

/** The command as it is typed, what it printed, and whether it failed. */
export async function typeRecover(
  on: { database: TestDatabase; temporalAddress: string },
  ...options: string[]
): Promise<{ printed: string; refused: string }> {
  const lines: string[] = [];
  const secret = (fill: number) => Buffer.alloc(32, fill).toString('base64');
  const config = loadConfig({
    MALIPO_ENV: 'development',
    DATABASE_URL: on.database.urlOf('api'),
    MIGRATION_DATABASE_URL: on.database.url,
    TEMPORAL_ADDRESS: on.temporalAddress,
    KEY_HASH_SECRET: secret(1),
    ENCRYPTION_KEY: secret(2),
    NOTIFICATION_SECRET: secret(3),
    SUBMISSION_KEY: secret(4),
    PAGE_KEY: secret(5),
  });
  const runs = createRuns({
    access: () => Promise.reject(new Error('this command calls no API')),
    config: async () => ({ ...config, SUBMISSION_KEY: submissionKeys }),
    print: (line) => lines.push(line),
  });
  let refused = '';
  await (await createProgram(runs))
    .parseAsync(['recover', ...options], { from: 'user' })
    .catch((error: Error) => {
      refused = error.message;
    });
  return { printed: lines.join('\n'), refused };
}
