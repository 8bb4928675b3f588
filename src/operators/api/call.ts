import type { z } from 'zod';
import type { Keys } from '../../accounts/keys.ts';
import type { KeyRing } from '../../base/key-ring.ts';
import type { StatementSource } from '../../channels/kit/statement-source.ts';
import type { Gate } from '../../channels/traffic/gate.ts';
import type { JsonOf } from '../../contract/json-of.ts';
import type { CheckedConnection } from '../../domain/channel-health.ts';
import type { Round } from '../../domain/event.ts';
import type { Limits } from '../../domain/limits.ts';
import type { Accepted, Submission } from '../../domain/operation.ts';
import type { GatewayTiming } from '../../domain/timing.ts';
import type { OperatorActor } from '../../platform/db/audit.ts';
import type { Database } from '../../platform/db/pool.ts';
import type { Line } from '../../platform/http/call.ts';
import type { Shape } from '../../platform/http/fields.ts';
import type { Upload } from '../../platform/process/uploads.ts';
import type { AccountInUse } from '../../reconciliation/explain.ts';
import type { StatementAccounts } from '../../reconciliation/groups.ts';
import type { UnsignalledPayment } from '../../transactions/rescue/orphans.ts';
import type { LiveRouteOf } from '../actions/live-send-action.ts';
import type { Proposals } from '../actions/proposals.ts';
import type { Operators } from '../people/operators.ts';
import type { Caller, Role } from '../people/roles.ts';
import type { Sessions } from '../people/sessions.ts';
import type { FigureReads } from './figure-reads.ts';
import type { LedgerReads } from './ledger-reads.ts';

/** `accepted` means that its flow answered in time; else it may still have been started. */
export type Submitted =
  | { kind: 'answered'; accepted: Accepted }
  | { kind: 'not_sent' | 'unclear' | 'closed' };

export type Deps = {
  database: Database;
  /** its statements may take minutes */
  longDatabase: Database;
  /** a keyed hash replaces a phone number that must not be kept */
  markOf(number: string): string;
  keys: Pick<Keys, 'listKeys'>;
  newAccountLimits: Limits;
  operators: Operators;
  sessions: Sessions;
  proposals: Proposals;
  /** best effort: the sweep repeats what Temporal does not take now */
  wake(transactionId: string): Promise<void>;
  /** starts the first workflow of a new transaction; best effort, too */
  begin(transactionId: string): Promise<void>;
  /** tells the flow of what was paid, so that `recover` finds the payment */
  tellPaid(paid: UnsignalledPayment): Promise<void>;
  /** asks the channel now; best effort: the next enquiry comes anyway */
  hint(transactionId: string): Promise<void>;
  /** null if the address of Temporal's web UI is not configured */
  workflowUrl(workflowId: string): string | null;
  /** false when Temporal did not take it in time: the sweep starts it */
  deliver(round: Round): Promise<boolean>;
  ledger: LedgerReads;
  figures: FigureReads;
  channelStates: Gate['states'];
  statementAccounts: StatementAccounts;
  /** which of them can be asked for their balance */
  statementSources: ReadonlyMap<string, StatementSource>;
  /** the accounts at networks and banks whose statements are read, by id, and with what statements are sealed */
  imports: { accounts: ReadonlyMap<string, AccountInUse>; keys: KeyRing };
  liveRouteOf: LiveRouteOf;
  /** hands a request to its flow as the merchants' API does */
  submit(submission: Submission): Promise<Submitted>;
  timing: GatewayTiming;
  /** asks each connection of this process what changes nothing */
  checkConnections(): Promise<CheckedConnection[]>;
};

/** One line of the operators' table of calls. `{id}` in its path is what the call is about. */
export type OperatorLine = Line & {
  /** one of these is needed */
  roles: readonly Role[];
  /** says in a few words what `{id}` is */
  id?: string;
  /** its `payload` is what its `action` takes: the document has one body for each */
  proposes?: true;
};

export type Context = {
  deps: Deps;
  caller: Caller;
  actor: OperatorActor;
  /** '' if the path has no id */
  id: string;
  /** only some calls take a file */
  file: Upload | null;
  /** Notes whose data the answer shows: it is in the audit log before the answer leaves. */
  noteRead(...subjects: string[]): void;
};

export type Call = OperatorLine & { handle(input: never, context: Context): Promise<unknown> };

type Input<L extends OperatorLine> = Values<L['query']> & Values<L['body']>;
type Values<S extends Shape | undefined> = S extends Shape ? z.output<z.ZodObject<S>> : unknown;

/** A call: its line and what it does. The answer is held by the line's schema. */
export function call<const L extends OperatorLine>(
  line: L,
  handle: (input: Input<L>, context: Context) => Promise<JsonOf<L['answer']>>,
): L & Call {
  return { ...line, handle };
}
