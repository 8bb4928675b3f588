import { accountCalls } from './accounts.ts';
import { attentionCalls } from './attention.ts';
import { auditCalls } from './audit.ts';
import type { Call } from './call.ts';
import { callbackCalls } from './callbacks.ts';
import { channelCalls } from './channels.ts';
import { extractCalls } from './extracts.ts';
import { feeCalls } from './fees.ts';
import { figureCalls } from './figures.ts';
import { findCalls } from './find.ts';
import { ledgerCalls } from './ledger.ts';
import { liveSendCalls } from './live-sends.ts';
import { operatorCalls } from './operators.ts';
import { paymentCalls } from './payments.ts';
import { privacyCalls } from './privacy.ts';
import { proposalCalls } from './proposals.ts';
import { queueCalls } from './queue.ts';
import { reconciliationCalls } from './reconciliation.ts';
import { statementFileCalls } from './statement-files.ts';
import { statementCalls } from './statements.ts';
import { suspenseCalls } from './suspense.ts';

export const calls = {
  ...queueCalls,
  ...figureCalls,
  ...findCalls,
  ...paymentCalls,
  ...accountCalls,
  ...feeCalls,
  ...callbackCalls,
  ...channelCalls,
  ...liveSendCalls,
  ...attentionCalls,
  ...suspenseCalls,
  ...reconciliationCalls,
  ...proposalCalls,
  ...operatorCalls,
  ...ledgerCalls,
  ...extractCalls,
  ...statementCalls,
  ...statementFileCalls,
  ...privacyCalls,
  ...auditCalls,
} satisfies Record<string, Call>;
