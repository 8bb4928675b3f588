import { Command } from 'commander';
import json from '../../operators/cli/commands.json' with { type: 'json' };
import type { Run, RunOnStores, Runs, To } from '../../operators/cli/context.ts';
import { showGroups } from './groups.ts';

type Asked = { operator?: string; json?: boolean };

/** A part is loaded only for its own commands: loading all takes most of a command's time. */
const parts: Record<string, () => Promise<{ addCommands(to: To): void }>> = {
  'migrate temporal': () => import('./setup.ts'),
  recover: () => import('./recover.ts'),
  deploy: () => import('./deploy.ts'),
  find: () => import('../../operators/cli/find.ts'),
  keys: () => import('../../operators/cli/keys.ts'),
  fees: () => import('../../operators/cli/fees.ts'),
  attention: () => import('../../operators/cli/attention.ts'),
  days: () => import('../../operators/cli/days.ts'),
  statements: () => import('../../operators/cli/statements.ts'),
  proposals: () => import('../../operators/cli/proposals.ts'),
  ledger: () => import('../../operators/cli/ledger.ts'),
  extracts: () => import('../../operators/cli/extracts.ts'),
  privacy: () => import('../../operators/cli/privacy.ts'),
  operators: () => import('../../operators/cli/operators.ts'),
  audit: () => import('../../operators/cli/audit.ts'),
  'channels channel': () => import('./channels.ts'),
  secrets: () => import('./secrets.ts'),
};

/** Makes the commands that begin with `typed`, or all. Only set-up commands bypass the operator API. */
export async function createProgram(runs: Runs, typed: readonly string[] = []): Promise<Command> {
  const program = new Command('malipo');
  program
    .description(
      'Calls the operator API of MALIPO_OPERATOR_URL with MALIPO_OPERATOR_TOKEN, or that of ' +
        'a running npm start (DATA_DIR, default .data). Each command has its own --help.',
    )
    .option('--operator <name>', 'use the token of this operator of a running npm start; default: the first');
  program.option('--json', "print JSON: the operator API's answers as they are");
  const run: Run = (work) => runs.asOperator(program.opts<Asked>(), work);
  const onStores: RunOnStores = (work, options) =>
    runs.onStores(work, { ...options, json: program.opts<Asked>().json });
  const word = wordOf(typed);
  const chosen = Object.entries(parts).filter(([words]) => words.split(' ').includes(word));
  const words = [word, ...chosen.flatMap(([words]) => words.split(' '))];
  const isGenerated = Object.values(json)
    .flat()
    .some(({ command }) => words.includes(command.split(' ')[0] ?? ''));
  const isKnown = chosen.length > 0 || isGenerated;
  for (const [, load] of isKnown ? chosen : Object.entries(parts))
    (await load()).addCommands({ program, run, onStores });
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
