import type { BillPayment, BillView, ReportedPayment } from '../../domain/bill.ts';
import type { BillReply } from '../../domain/bill-reply.ts';
import type { GatewayError } from '../../domain/errors.ts';
import type { Network } from '../../domain/network.ts';

/** A message of a channel has a few hundred bytes; a door reads no more than this. */
export const DOOR_BYTES_MAX = 32 * 1024;

/** A request of a channel at one of our doors, as a protocol reads it. The machinery of the API stays outside. */
export type DoorCall = {
  method: string;
  /** below PUBLIC_URL, and below the path of the connection where it has one */
  path: string;
  /** the parts of the path that have a name */
  params: Readonly<Record<string, string>>;
  query: URLSearchParams;
  /** empty if the header is absent */
  header(name: string): string;
  /** Reads at most 32 KiB. Throws `unsupported_media_type`, `payload_too_large` or `invalid_json`. */
  json(): Promise<unknown>;
  /** The body as it came. Throws GatewayError (`payload_too_large`) beyond `bytesMax`. */
  body(bytesMax: number): Promise<Buffer>;
  now(): Date;
  /** An error as the protocol shows it. An unexpected one is logged and becomes `internal_error`. */
  faultOf(error: unknown): GatewayError;
};

export type DoorAnswer = {
  status: number;
  headers?: Readonly<Record<string, string>>;
  /** default: `application/json` */
  contentType?: string;
  /** Becomes JSON text. With a content type of its own it is the text itself. */
  body: unknown;
};

/** Only its own proof opens a connection's doors, not that of another connection or protocol. */
export type BillDoors = {
  doors: readonly BillDoor[];
  /**
   * Says whether this connection's provider sent the message, by all its proofs: checksum, hash and time
   * stamp included. Nothing else is read before. Throws GatewayError if the message cannot be read.
   */
  prove(call: DoorCall): Proof | Promise<Proof>;
  /** texts of the proofs: two connections that share one at one address cannot be told apart */
  secrets: readonly string[];
  /** messages name this short code; absent if they name none, or it is not set */
  shortCode?: string | undefined;
  /**
   * Tells the network what was decided about its request. Never throws; `unclear`: it has to be told again, and gets the same
   * once more. `contradicted`: it answers with something else than was decided.
   */
  postResult?(owed: OwedResult): Promise<Posted>;
  /** an aggregator's messages call its networks by these names */
  operators?: Readonly<Record<string, string>> | undefined;
};

export type OwedResult = BillDecided & { receipt: string; request: Record<string, string | null> };
export type Posted = { kind: 'taken' } | { kind: 'contradicted' | 'unclear'; detail: string };

/** `isWrong` says that the message carries a proof, and a wrong one. */
export type Proof = 'proven' | { why: string; isWrong: boolean };

/** One address at which a protocol asks about bills and reports what customers paid. `answer` never throws. */
export type BillDoor = {
  name: string;
  method: 'GET' | 'POST';
  path: string;
  answer(call: DoorCall, bills: BillService): Promise<DoorAnswer>;
};

/** Every protocol's door does this with a bill. Each throws GatewayError if it cannot answer. */
export type BillService = {
  /**
   * Returns the payer's network, one of the proven connection. Rejects with `unauthorized` if the message
   * proves nothing, `rate_limited` after too many such messages. `operatorOf` is called only for an
   * aggregator's message.
   */
  networkOf(operatorOf?: () => Promise<string | null>): Promise<Network>;
  /** Returns null if no bill has the number, or the number is null. */
  lookUp(controlNumber: string | null): Promise<BillView | null>;
  /** The accepted payments of a bill, oldest first. */
  paymentsOf(transactionId: string): Promise<BillPayment[]>;
  validate(attempt: BillAttempt): Promise<BillDecided>;
  receive(payment: BillAttempt): Promise<BillDecided>;
  /**
   * Returns the earlier decision on a reported payment; null if there is none. `name` is the network's
   * receipt, or our transaction id; then `msisdn` tells which payment of that bill is meant.
   */
  decidedBefore(payment: {
    network: Network;
    name: string;
    msisdn: string | null;
  }): Promise<BillDecided | null>;
};

/** A customer's payment, or the wish to make one, as a network reports it. */
export type BillAttempt = ReportedPayment & {
  network: Network;
  /** the network knows its request by these, if the decision comes later (`postResult`) */
  request?: Record<string, string | null>;
};

/** `reply` is `ok` also where the money went to suspense: we have it. */
export type BillDecided = { reply: Exclude<BillReply, 'try_again'>; transactionId: string | null };
