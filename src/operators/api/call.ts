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

/** `answered`: the workflow answered in time. After `unclear` it may still have started. */
export type Submitted =
  | { kind: 'answered'; accepted: Accepted }
  | { kind: 'not_sent' | 'unclear' | 'closed' };

export type Deps = {
  database: Database;
  /** allows statements that run for minutes */
  longDatabase: Database;
  /** returns a keyed hash of a phone number, which must not be kept itself */
  markOf(number: string): string;
  keys: Pick<Keys, 'listKeys'>;
  newAccountLimits: Limits;
  operators: Operators;
  sessions: Sessions;
  proposals: Proposals;
  /** best effort: if Temporal is down, the sweep repeats it */
  wake(transactionId: string): Promise<void>;
  begin(transactionId: string): Promise<void>;
  /** signals the workflow, so that `recover` can find the payment */
  tellPaid(paid: UnsignalledPayment): Promise<void>;
  /** asks the channel now; best effort: the next enquiry is planned anyway */
  hint(transactionId: string): Promise<void>;
  /** null if the address of Temporal's web UI is not configured */
  workflowUrl(workflowId: string): string | null;
  /** false if Temporal did not accept it in time: the sweep starts it */
  deliver(round: Round): Promise<boolean>;
  ledger: LedgerReads;
  figures: FigureReads;
  channelStates: Gate['states'];
  statementAccounts: StatementAccounts;
  /** the accounts whose balance can be queried */
  statementSources: ReadonlyMap<string, StatementSource>;
  /** `accounts`: statement accounts by id; `keys`: they encrypt the stored statements */
  imports: { accounts: ReadonlyMap<string, AccountInUse>; keys: KeyRing };
  liveRouteOf: LiveRouteOf;
  submit(submission: Submission): Promise<Submitted>;
  timing: GatewayTiming;
  checkConnections(): Promise<CheckedConnection[]>;
};

/** `{id}` in the path names the subject of the call. */
export type OperatorLine = Line & {
  roles: readonly Role[];
  /** describes `{id}` */
  id?: string;
  /** `payload` depends on `action`: the document has one body for each action */
  proposes?: true;
};

export type Context = {
  deps: Deps;
  caller: Caller;
  actor: OperatorActor;
  /** '' if the path has no id */
  id: string;
  file: Upload | null;
  /** Notes whose data the answer shows. The audit log stores it before the answer is sent. */
  noteRead(...subjects: string[]): void;
};

export type Call = OperatorLine & { handle(input: never, context: Context): Promise<unknown> };

type Input<L extends OperatorLine> = Values<L['query']> & Values<L['body']>;
type Values<S extends Shape | undefined> = S extends Shape ? z.output<z.ZodObject<S>> : unknown;

/** The row's schema checks the type of the answer. */
export function call<const L extends OperatorLine>(
  line: L,
  handle: (input: Input<L>, context: Context) => Promise<JsonOf<L['answer']>>,
): L & Call {
  return { ...line, handle };
}
