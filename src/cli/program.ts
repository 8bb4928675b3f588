import { Command } from 'commander';
import { addAccountCommands } from './accounts.ts';
import { addAttentionCommands } from './attention.ts';
import { addCallbackCommands } from './callbacks.ts';
import { addChannelCommands } from './channels.ts';
import type { Run } from './context.ts';
import { addKeyCommands } from './keys.ts';
import { addLedgerCommands } from './ledger.ts';
import { addLimitCommands } from './limits.ts';
import { addRecoverCommand } from './recover.ts';
import { addSecretCommands } from './secrets.ts';
import { addSetupCommands } from './setup.ts';
import { addVerifyCommand } from './verify-callback.ts';

/** The command line: everything that changes something is audited under the name of who typed it. */
export function createProgram(run: Run): Command {
  const program = new Command('malipo');
  program.description(
    'Runs against DATABASE_URL and TEMPORAL_ADDRESS, or beside a running npm start (DATA_DIR, default .data).',
  );
  addSetupCommands(program, run);
  addRecoverCommand(program, run);
  addAccountCommands(program, run);
  addKeyCommands(program, run);
  addLimitCommands(program, run);
  addCallbackCommands(program, run);
  addAttentionCommands(program, run);
  addLedgerCommands(program, run);
  addChannelCommands(program, run);
  addSecretCommands(program, run);
  addVerifyCommand(program);
  return program;
}
