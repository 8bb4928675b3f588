import type { BillPayment, BillView, ReportedPayment } from '../../domain/bill.ts';
import type { BillReply } from '../../domain/bill-reply.ts';
import type { GatewayError } from '../../domain/errors.ts';
import type { Network } from '../../domain/network.ts';

/** A channel's message has a few hundred bytes; a door reads no more than this. */
export const DOOR_BYTES_MAX = 32 * 1024;

export type DoorCall = {
  method: string;
  /** path below PUBLIC_URL, and below the connection's path if it has one */
  path: string;
  params: Readonly<Record<string, string>>;
  query: URLSearchParams;
  /** empty if the header is absent */
  header(name: string): string;
  /** Reads at most 32 KiB. Throws `unsupported_media_type`, `payload_too_large` or `invalid_json`. */
  json(): Promise<unknown>;
  /** Returns the unchanged body. Throws GatewayError (`payload_too_large`) beyond `bytesMax`. */
  body(bytesMax: number): Promise<Buffer>;
  now(): Date;
  /** Logs an unexpected error, which becomes `internal_error`. */
  faultOf(error: unknown): GatewayError;
};

export type DoorAnswer = {
  status: number;
  headers?: Readonly<Record<string, string>>;
  /** default: `application/json` */
  contentType?: string;
  /** A value that becomes JSON; with a `contentType`, text. */
  body: unknown;
};

/** A connection's doors accept only its own proof. */
export type BillDoors = {
  doors: readonly BillDoor[];
  /**
   * Says whether this connection's provider sent the message, by all its proofs (checksum, hash, time stamp).
   * Reads nothing else first. Throws GatewayError for an unreadable message.
   */
  prove(call: DoorCall): Proof | Promise<Proof>;
  /** secrets of the proofs: connections at one address with the same secret cannot be told apart */
  secrets: readonly string[];
  /** the short code in messages; absent if there is none */
  shortCode?: string | undefined;
  /**
   * Reports the decision on a network's request. Never throws. `unclear`: send it again. `contradicted`: the
   * network's answer differs from the decision.
   */
  postResult?(owed: OwedResult): Promise<Posted>;
  /** an aggregator's names for its networks */
  operators?: Readonly<Record<string, string>> | undefined;
};

export type OwedResult = BillDecided & { receipt: string; request: Record<string, string | null> };
export type Posted = { kind: 'taken' } | { kind: 'contradicted' | 'unclear'; detail: string };

/** `isWrong`: the message has a proof, but a wrong one. */
export type Proof = 'proven' | { why: string; isWrong: boolean };

/** A protocol asks about bills and reports payments at this address. `answer` never throws. */
export type BillDoor = {
  name: string;
  method: 'GET' | 'POST';
  path: string;
  answer(call: DoorCall, bills: BillService): Promise<DoorAnswer>;
};

/** Every protocol's door uses these calls. Each throws GatewayError if it cannot answer. */
export type BillService = {
  /**
   * Returns the payer's network, one of the proven connection. Rejects with `unauthorized` without a proof,
   * `rate_limited` after too many such requests. `operatorOf` is called only for an aggregator's message.
   */
  networkOf(operatorOf?: () => Promise<string | null>): Promise<Network>;
  /** Returns null for null, or if no bill has the number. */
  lookUp(controlNumber: string | null): Promise<BillView | null>;
  /** Returns the accepted payments of a bill, oldest first. */
  paymentsOf(transactionId: string): Promise<BillPayment[]>;
  validate(attempt: BillAttempt): Promise<BillDecided>;
  receive(payment: BillAttempt): Promise<BillDecided>;
  /**
   * Returns the earlier decision on a payment, or null. `name` is the network's receipt, or our transaction
   * id; then `msisdn` tells which payment of the bill is meant.
   */
  decidedBefore(payment: {
    network: Network;
    name: string;
    msisdn: string | null;
  }): Promise<BillDecided | null>;
};

/** A network reports this payment of a customer, made or intended. */
export type BillAttempt = ReportedPayment & {
  network: Network;
  /** identifies the request in the network's words if the decision follows later (`postResult`) */
  request?: Record<string, string | null>;
};

/** `reply` is `ok` even if the money went to suspense, because we have it. */
export type BillDecided = { reply: Exclude<BillReply, 'try_again'>; transactionId: string | null };
