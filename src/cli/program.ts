import { Command } from 'commander';
import { addAccountCommands } from './accounts.ts';
import { addAttentionCommands } from './attention.ts';
import { addAuditCommands } from './audit.ts';
import { addCallbackCommands } from './callbacks.ts';
import { addChannelCommands } from './channels.ts';
import type { Run, RunOnStores, Runs } from './context.ts';
import { addDeployCommands } from './deploy.ts';
import { addExtractCommands } from './extracts.ts';
import { addFeeCommands } from './fees.ts';
import { addFindCommands } from './find.ts';
import { addForwardCommand, type FindMerchant } from './forward-command.ts';
import { addKeyCommands } from './keys.ts';
import { addLedgerCommands } from './ledger.ts';
import { addLimitCommands } from './limits.ts';
import { addReconciliationCommands } from './lines.ts';
import { addOperatorCommands } from './operators.ts';
import { addPrivacyCommands } from './privacy.ts';
import { addProposalCommands } from './proposals.ts';
import { addRecoverCommand } from './recover.ts';
import { addSecretCommands } from './secrets.ts';
import { addSettlementCommands } from './settlement.ts';
import { addSetupCommands } from './setup.ts';
import { addStatementCommands } from './statements.ts';
import { addSuspenseCommands } from './suspense.ts';

type Asked = { operator?: string; json?: boolean };

/** The command line: a client of the operator API, but for what prepares an installation. */
export function createProgram(runs: Runs, findMerchant: FindMerchant = async () => undefined): Command {
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
  addRecoverCommand(program, run, onStores);
  addDeployCommands(program, onStores);
  addFindCommands(program, run);
  addAccountCommands(program, run);
  addKeyCommands(program, run);
  addLimitCommands(program, run);
  addFeeCommands(program, run);
  addSettlementCommands(program, run);
  addCallbackCommands(program, run);
  addAttentionCommands(program, run);
  addSuspenseCommands(program, run);
  addReconciliationCommands(program, run);
  addStatementCommands(program, run);
  addProposalCommands(program, run);
  addLedgerCommands(program, run);
  addExtractCommands(program, run);
  addPrivacyCommands(program, run);
  addOperatorCommands(program, run, onStores);
  addAuditCommands(program, run);
  addChannelCommands(program, run, onStores);
  addSecretCommands(program, onStores);
  addForwardCommand(program, findMerchant);
  return program;
}
