import { Command } from 'commander';
import { addAccountCommands } from '../../operators/cli/accounts.ts';
import { addAttentionCommands } from '../../operators/cli/attention.ts';
import { addAuditCommands } from '../../operators/cli/audit.ts';
import { addCallbackCommands } from '../../operators/cli/callbacks.ts';
import type { Run, RunOnStores, Runs } from '../../operators/cli/context.ts';
import { addDayCommands } from '../../operators/cli/days.ts';
import { addDeclaredCommands } from '../../operators/cli/declared.ts';
import { addExtractCommands } from '../../operators/cli/extracts.ts';
import { addFeeCommands } from '../../operators/cli/fees.ts';
import { addFindCommands } from '../../operators/cli/find.ts';
import { addKeyCommands } from '../../operators/cli/keys.ts';
import { addLedgerCommands } from '../../operators/cli/ledger.ts';
import { addLimitCommands } from '../../operators/cli/limits.ts';
import { addListCommands } from '../../operators/cli/lists.ts';
import { addOperatorCommands } from '../../operators/cli/operators.ts';
import { addPrivacyCommands } from '../../operators/cli/privacy.ts';
import { addProposalCommands } from '../../operators/cli/proposals.ts';
import { addStatementCommands } from '../../operators/cli/statements.ts';
import { addSuspenseCommands } from '../../operators/cli/suspense.ts';
import { addChannelCommands } from './channels.ts';
import { addDeployCommands } from './deploy.ts';
import { addRecoverCommand } from './recover.ts';
import { addSecretCommands } from './secrets.ts';
import { addSetupCommands } from './setup.ts';

type Asked = { operator?: string; json?: boolean };

/** Only commands that prepare an installation do not use the operator API. */
export function createProgram(runs: Runs): Command {
  const program = new Command('malipo');
  program
    .description(
      'Calls the operator API: MALIPO_OPERATOR_URL and MALIPO_OPERATOR_TOKEN, or a running npm start (DATA_DIR, default .data).',
    )
    .option('--operator <name>', 'whose token of a running npm start is used; the first one when left out');
  program.option('--json', "print JSON: the operator API's answers as they are");
  const run: Run = (work) => runs.asOperator(program.opts<Asked>(), work);
  const onStores: RunOnStores = (work, options) =>
    runs.onStores(work, { ...options, json: program.opts<Asked>().json });
  addSetupCommands(program, onStores);
  addRecoverCommand(program, onStores);
  addDeployCommands(program, onStores);
  addFindCommands(program, run);
  addAccountCommands(program, run);
  addKeyCommands(program, run);
  addLimitCommands(program, run);
  addFeeCommands(program, run);
  addCallbackCommands(program, run);
  addAttentionCommands(program, run);
  addSuspenseCommands(program, run);
  addDayCommands(program, run);
  addStatementCommands(program, run);
  addProposalCommands(program, run);
  addLedgerCommands(program, run);
  addExtractCommands(program, run);
  addPrivacyCommands(program, run);
  addOperatorCommands(program, run, onStores);
  addAuditCommands(program, run);
  addChannelCommands(program, run, onStores);
  addSecretCommands(program, onStores);
  addListCommands(program, run);
  addDeclaredCommands(program, run);
  return program;
}
