import { Command } from 'commander';
import json from '../../operators/cli/commands.json' with { type: 'json' };
import type { Run, RunOnStores, Runs } from '../../operators/cli/context.ts';
import { showGroups } from './groups.ts';

type Asked = { operator?: string; json?: boolean };
type To = { program: Command; run: Run; onStores: RunOnStores };

/** A part is loaded only for its own commands: loading all takes most of a command's time. */
const parts: Record<string, (to: To) => Promise<void>> = {
  'migrate temporal': async ({ program, onStores }) =>
    (await import('./setup.ts')).addSetupCommands(program, onStores),
  recover: async ({ program, onStores }) =>
    (await import('./recover.ts')).addRecoverCommand(program, onStores),
  deploy: async ({ program, onStores }) => (await import('./deploy.ts')).addDeployCommands(program, onStores),
  'find re-enquire': async ({ program, run }) =>
    (await import('../../operators/cli/find.ts')).addFindCommands(program, run),
  accounts: async ({ program, run }) =>
    (await import('../../operators/cli/accounts.ts')).addAccountCommands(program, run),
  keys: async ({ program }) => (await import('../../operators/cli/keys.ts')).addKeyCommands(program),
  fees: async ({ program, run }) =>
    (await import('../../operators/cli/fees.ts')).addFeeCommands(program, run),
  callbacks: async ({ program, run }) =>
    (await import('../../operators/cli/callbacks.ts')).addCallbackCommands(program, run),
  attention: async ({ program, run }) =>
    (await import('../../operators/cli/attention.ts')).addAttentionCommands(program, run),
  days: async ({ program, run }) =>
    (await import('../../operators/cli/days.ts')).addDayCommands(program, run),
  statements: async ({ program, run }) =>
    (await import('../../operators/cli/statements.ts')).addStatementCommands(program, run),
  proposals: async ({ program, run }) =>
    (await import('../../operators/cli/proposals.ts')).addProposalCommands(program, run),
  ledger: async ({ program, run }) =>
    (await import('../../operators/cli/ledger.ts')).addLedgerCommands(program, run),
  extracts: async ({ program, run }) =>
    (await import('../../operators/cli/extracts.ts')).addExtractCommands(program, run),
  privacy: async ({ program, run }) =>
    (await import('../../operators/cli/privacy.ts')).addPrivacyCommands(program, run),
  operators: async ({ program, run, onStores }) =>
    (await import('../../operators/cli/operators.ts')).addOperatorCommands(program, run, onStores),
  audit: async ({ program, run }) =>
    (await import('../../operators/cli/audit.ts')).addAuditCommands(program, run),
  'channels channel': async ({ program, run, onStores }) =>
    (await import('./channels.ts')).addChannelCommands(program, run, onStores),
  secrets: async ({ program, onStores }) =>
    (await import('./secrets.ts')).addSecretCommands(program, onStores),
};

/** Makes the commands that begin with `typed`, or all. Only set-up commands bypass the operator API. */
export async function createProgram(runs: Runs, typed: readonly string[] = []): Promise<Command> {
  const program = new Command('malipo');
  program
    .description(
      'Calls the operator API: MALIPO_OPERATOR_URL and MALIPO_OPERATOR_TOKEN, ' +
        'or a running npm start (DATA_DIR, default .data). Each command has a --help of its own.',
    )
    .option('--operator <name>', 'whose token of a running npm start is used; the first one when left out');
  program.option('--json', "print JSON: the operator API's answers as they are");
  const run: Run = (work) => runs.asOperator(program.opts<Asked>(), work);
  const onStores: RunOnStores = (work, options) =>
    runs.onStores(work, { ...options, json: program.opts<Asked>().json });
  const word = wordOf(typed);
  const chosen = Object.entries(parts).filter(([words]) => words.split(' ').includes(word));
  const words = [word, ...chosen.flatMap(([words]) => words.split(' '))];
  const isGenerated = [...json.actions, ...json.lists, ...json.views].some(({ command }) =>
    words.includes(command.split(' ')[0] ?? ''),
  );
  const isKnown = chosen.length > 0 || isGenerated;
  for (const [, add] of isKnown ? chosen : Object.entries(parts)) await add({ program, run, onStores });
  if (isGenerated || !isKnown) {
    (await import('../../operators/cli/lists.ts')).addListCommands(program, run);
    (await import('../../operators/cli/declared.ts')).addDeclaredCommands(program, run);
  }
  showGroups(program);
  return program;
}

/** Returns the first word that is neither an option nor the name after `--operator`. */
function wordOf(typed: readonly string[]): string {
  return typed.find((word, at) => !word.startsWith('-') && typed[at - 1] !== '--operator') ?? '';
}
