import { CommandError, createRun } from './cli/context.ts';
import { createProgram } from './cli/program.ts';
import { loadConfig } from './config.ts';
import { environmentOfLocal } from './local/attach.ts';

/** Without DATABASE_URL a command works on the `npm start` of this folder, whose addresses and secrets lie there. */
async function findEnvironment() {
  if (process.env.DATABASE_URL) return process.env;
  const environment = await environmentOfLocal(process.env.DATA_DIR || '.data');
  if (!environment) throw new CommandError('Set DATABASE_URL, or run npm start in this folder first.');
  return environment;
}

const run = createRun({
  config: async () => loadConfig(await findEnvironment()),
  environment: findEnvironment,
  print: (line) => console.log(line),
});
try {
  await createProgram(run).parseAsync();
  process.exit(0);
} catch (error) {
  console.error(messageOf(error));
  process.exit(1);
}

/** Node reports a refused connection as an error without words of its own. */
function messageOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(messageOf).join('; ');
  return error instanceof Error ? error.message : String(error);
}
