// Written by `npm run statements`: the statements of all rooms.
import type { Accounts } from './accounts.d.ts';
import type { Activities } from './activities.d.ts';
import type { App } from './app.d.ts';
import type { Batches } from './batches.d.ts';
import type { Callbacks } from './callbacks.d.ts';
import type { Channels } from './channels.d.ts';
import type { Ledger } from './ledger.d.ts';
import type { OperatorsActions } from './operators-actions.d.ts';
import type { OperatorsApi } from './operators-api.d.ts';
import type { OperatorsPeople } from './operators-people.d.ts';
import type { OperatorsSearch } from './operators-search.d.ts';
import type { Platform } from './platform.d.ts';
import type { Reconciliation } from './reconciliation.d.ts';
import type { Sandbox } from './sandbox.d.ts';
import type { Settlements } from './settlements.d.ts';
import type { TransactionsAcceptance } from './transactions-acceptance.d.ts';
import type { TransactionsCare } from './transactions-care.d.ts';
import type { TransactionsChannel } from './transactions-channel.d.ts';
import type { TransactionsEnding } from './transactions-ending.d.ts';
import type { TransactionsOddMoney } from './transactions-odd-money.d.ts';
import type { TransactionsRescue } from './transactions-rescue.d.ts';
import type { TransactionsRows } from './transactions-rows.d.ts';

/** A text that a room has: any other does not compile. */
export type Statement = keyof Statements;

export interface Statements extends Accounts, Activities, App, Batches, Callbacks, Channels, Ledger, OperatorsActions, OperatorsApi, OperatorsPeople, OperatorsSearch, Platform, Reconciliation, Sandbox, Settlements, TransactionsAcceptance, TransactionsCare, TransactionsChannel, TransactionsEnding, TransactionsOddMoney, TransactionsRescue, TransactionsRows {}
