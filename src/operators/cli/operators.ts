import type { Command } from 'commander';
import type { Operators } from '../people/operators.ts';
import { type Role, roles } from '../people/roles.ts';
import { makeToken, TOKEN_DAYS } from '../people/token-text.ts';
import { CommandError } from './command-error.ts';
import type { RunOnStores, StoreContext, To } from './context.ts';
import { list } from './keys.ts';

/** Two admins can approve each other's proposals. */
const FIRST_ADMINS = 2;

export function addCommands({ program, run, onStores }: To): void {
  const operators = program.command('operators').description('people who run the service');
  operators
    .command('create <name>')
    .description('add a person, who may do nothing until a role is approved')
    .requiredOption('--email <address>', 'e-mail address of this person')
    .option('--first', `make one of the first ${FIRST_ADMINS} admins directly in the database`)
    .option('--roles <list>', 'with --first: comma-separated roles, with admin', list)
    .action((name: string, options: CreateOptions) =>
      options.first
        ? onStores((context) => createFirst(context, name, options))
        : run(async ({ api, print }) => {
            await api.post('operators', { name, email: options.email });
            print(`${name} is added: propose roles (operators roles) and a token (operators token)`);
          }),
    );
  addTokenCommands(operators, onStores);
}

function addTokenCommands(operators: Command, onStores: RunOnStores): void {
  operators
    .command('new-token')
    .description('make a token on this machine; nothing is sent')
    .action((_options: object, command: Command) => {
      const { token, tokenId, fingerprint } = makeToken();
      if (command.optsWithGlobals().json) {
        process.stdout.write(`${JSON.stringify({ token, token_id: tokenId, fingerprint })}\n`);
        return;
      }
      process.stdout.write(`${token}\n`);
      process.stderr.write(
        'Keep the token secret. It gives no access until two admins activate it. Give them this: ' +
          `${tokenId}:${fingerprint}\n`,
      );
    });
  operators
    .command('first-token <name>')
    .description('make a token for an admin directly in the database, if fewer than two admins can sign in')
    .action((name: string) => onStores((context) => issueFirst(context, name)));
}

type CreateOptions = { email: string; first?: boolean; roles?: string[] };

/** Until two admins can sign in, a person with the database credentials makes them. */
async function createFirst(context: StoreContext, name: string, options: CreateOptions): Promise<void> {
  const given = options.roles ?? ['admin', 'finance', 'support'];
  const known = given.filter((role): role is Role => roles.some((one) => one === role));
  if (known.length < given.length || !known.includes('admin'))
    throw new CommandError(`--roles must be some of ${roles.join(', ')}, and include admin.`);
  const operators = await openOperators(context);
  await operators.create({ name, email: options.email, roles: known, actor: context.actor });
  await showToken(context, operators, name);
}

/** Helps an admin who lost a token while fewer than two admins can sign in and agree. */
async function issueFirst(context: StoreContext, name: string): Promise<void> {
  const operators = await openOperators(context);
  const isAdmin = (await operators.list()).some((one) => one.name === name && one.roles.includes('admin'));
  if (!isAdmin) throw new CommandError(`${name} is not an admin: ask the admins (operators token).`);
  await showToken(context, operators, name);
}

async function openOperators({ database: open, config }: StoreContext) {
  const { countAdmins, createOperators } = await import('../people/operators.ts');
  const database = open();
  if ((await countAdmins(database)) >= FIRST_ADMINS)
    throw new CommandError(`${FIRST_ADMINS} admins can sign in already: they add others, without --first.`);
  return createOperators({ database, hashSecrets: config.KEY_HASH_SECRET });
}

async function showToken(
  { print, answer, actor }: StoreContext,
  operators: Operators,
  name: string,
): Promise<void> {
  const { token, tokenId, expiresAt } = await operators.issueToken({
    operator: name,
    days: TOKEN_DAYS,
    actor,
  });
  answer({ token, token_id: tokenId, expires_at: expiresAt });
  print(token);
}
