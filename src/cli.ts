import { createProgram } from './app/cli/program.ts';
import { writtenOut } from './domain/plain-text.ts';
import { CommandError } from './operators/cli/command-error.ts';
import { createRuns } from './operators/cli/context.ts';

/** Without DATABASE_URL, uses the addresses and secrets of this folder's `npm start`. */
async function findEnvironment() {
  const { DATABASE_URL: url, SUBMISSION_KEY: key } = process.env;
  if (url && key) return process.env;
  const { environmentOfLocal } = await import('../sandbox/local/attach.ts');
  const environment = await environmentOfLocal(process.env.DATA_DIR || '.data');
  // `npm start` may use this DATABASE_URL too; then its secrets are in the folder.
  if (url && environment?.DATABASE_URL !== url) return process.env;
  if (!environment) throw new CommandError('Set DATABASE_URL, or run npm start in this folder first.');
  return environment;
}

/** Without a name, uses the first operator of this folder's `npm start`. */
async function findAccess(operator: string | undefined) {
  const { MALIPO_OPERATOR_TOKEN: token, MALIPO_OPERATOR_URL: url } = process.env;
  if (token) return { token, url: url || 'http://127.0.0.1:3001' };
  const { operatorsOfLocal } = await import('../sandbox/local/operators-of-local.ts');
  const local = await operatorsOfLocal(process.env.DATA_DIR || '.data');
  if (!local)
    throw new CommandError(
      'Set MALIPO_OPERATOR_TOKEN and MALIPO_OPERATOR_URL, or run npm start in this folder first.',
    );
  const found = local.operators.find(({ name }) => operator === undefined || name === operator);
  if (found) return { url: local.management_url, token: found.token };
  throw new CommandError(
    `There is no operator ${operator}, only ${local.operators.map(({ name }) => name).join(' and ')}.`,
  );
}

const runs = createRuns({
  access: findAccess,
  config: async (options) => {
    const { loadConfig } = await import('./config/config.ts');
    return loadConfig(await findEnvironment(), { ...options, listens: false });
  },
  environment: findEnvironment,
  print: (line) => console.log(line),
  isTerminal: process.stdout.isTTY,
});
try {
  const program = await createProgram(runs, process.argv.slice(2));
  await program.parseAsync();
  await end(0);
} catch (error) {
  console.error(writtenOut(messageOf(error)));
  await end(1);
}

/** A pipe takes what was printed later than a file does: to exit before would cut it. */
async function end(code: number): Promise<never> {
  for (const stream of [process.stdout, process.stderr])
    await new Promise<unknown>((written) => stream.once('error', written).write('', written));
  process.exit(code);
}

/** Node reports a refused connection as an AggregateError with an empty message. */
function messageOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(messageOf).join('; ');
  return error instanceof Error ? error.message : String(error);
}
