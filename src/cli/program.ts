import { Command } from 'commander';
import { addAccountCommands } from './accounts.ts';
import { addAttentionCommands } from './attention.ts';
import { addAuditCommands } from './audit.ts';
import { addCallbackCommands } from './callbacks.ts';
import { addChannelCommands } from './channels.ts';
import type { Run, Runs } from './context.ts';
import { addDeployCommands } from './deploy.ts';
import { addFindCommands } from './find.ts';
import { addForwardCommand, type FindMerchant } from './forward-command.ts';
import { addKeyCommands } from './keys.ts';
import { addLedgerCommands } from './ledger.ts';
import { addLimitCommands } from './limits.ts';
import { addOperatorCommands } from './operators.ts';
import { addPrivacyCommands } from './privacy.ts';
import { addProposalCommands } from './proposals.ts';
import { addRecoverCommand } from './recover.ts';
import { addSecretCommands } from './secrets.ts';
import { addSetupCommands } from './setup.ts';
import { addSuspenseCommands } from './suspense.ts';
import { addVerifyCommand } from './verify-callback.ts';

/** The command line: a client of the operator API, but for what prepares an installation. */
export function createProgram(runs: Runs, findMerchant: FindMerchant = async () => undefined): Command {
  const program = new Command('malipo');
  program
    .description(
      'Calls the operator API: MALIPO_OPERATOR_URL and MALIPO_OPERATOR_TOKEN, or a running npm start (DATA_DIR, default .data).',
    )
    .option('--operator <name>', 'whose token of a running npm start is used; the first one when left out');
  const run: Run = (work) => runs.asOperator(program.opts<{ operator?: string }>().operator, work);
  addSetupCommands(program, runs.onStores);
  addRecoverCommand(program, run, runs.onStores);
  addDeployCommands(program, runs.onStores);
  addFindCommands(program, run);
  addAccountCommands(program, run);
  addKeyCommands(program, run);
  addLimitCommands(program, run);
  addCallbackCommands(program, run);
  addAttentionCommands(program, run);
  addSuspenseCommands(program, run);
  addProposalCommands(program, run);
  addLedgerCommands(program, run);
  addPrivacyCommands(program, run);
  addOperatorCommands(program, run, runs.onStores);
  addAuditCommands(program, run);
  addChannelCommands(program, run, runs.onStores);
  addSecretCommands(program, runs.onStores);
  addVerifyCommand(program);
  addForwardCommand(program, findMerchant);
  return program;
}
