import type { Page } from './page.ts';
import { attentionPage } from './pages/attention.ts';
import { auditPage } from './pages/audit.ts';
import { dayPage, daysPage } from './pages/days.ts';
import { erasurePage } from './pages/erasure.ts';
import { largePage, volumesPage } from './pages/extracts.ts';
import { feeStatementPage, feesPage } from './pages/fees.ts';
import { floatPage } from './pages/float.ts';
import { homePage } from './pages/home.ts';
import { keysPage } from './pages/keys.ts';
import { linePage, linesPage } from './pages/lines.ts';
import { mePage } from './pages/me.ts';
import { callbacksPage, limitsPage, merchantPage, merchantsPage } from './pages/merchants.ts';
import { networksPage } from './pages/networks.ts';
import { operatorPage, operatorsPage } from './pages/operators.ts';
import { paymentsPage } from './pages/payments.ts';
import { proposalPage, proposalsPage } from './pages/proposals.ts';
import { returnsPage } from './pages/returns.ts';
import { runbookPage } from './pages/runbook.ts';
import { settlementPage } from './pages/settlement.ts';
import { statementPage } from './pages/statement.ts';
import { suspenseItemPage, suspensePage } from './pages/suspense.ts';
import { transactionPage } from './pages/transaction.ts';

/** A new page is a row here, in the order of the menu. */
export const pages: readonly Page[] = [
  homePage,
  paymentsPage,
  attentionPage,
  transactionPage,
  suspensePage,
  suspenseItemPage,
  returnsPage,
  linesPage,
  linePage,
  daysPage,
  dayPage,
  floatPage,
  proposalsPage,
  proposalPage,
  merchantsPage,
  merchantPage,
  keysPage,
  limitsPage,
  feesPage,
  feeStatementPage,
  settlementPage,
  callbacksPage,
  statementPage,
  networksPage,
  volumesPage,
  largePage,
  auditPage,
  operatorsPage,
  operatorPage,
  erasurePage,
  runbookPage,
  mePage,
];
