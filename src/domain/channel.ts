import type { FailureCode } from './failure.ts';
import type { Direction } from './kinds.ts';
import type { Minor } from './money.ts';
import type { BankParty, WalletParty } from './party.ts';

/**
 * A channel is a network or bank rail behind its own protocol. It knows HTTP and its wire format, never
 * Temporal or the database. Only the provider's explicit answer is terminal: a timeout, a broken connection,
 * a 5xx or an unknown code is `unknown`, and money stays where it is.
 */
export type Channel = {
  /** Asks the customer's phone to confirm. Called once per recorded send. Never throws. */
  requestPush?(order: PushOrder, call: CallOptions): Promise<SendResult>;
  /** Pays out. Called once per recorded send. Never throws. */
  requestPayout?(order: PayoutOrder, call: CallOptions): Promise<SendResult>;
  /** Asks what became of a reference. Never throws. */
  enquire(order: Enquiry, call: CallOptions): Promise<EnquiryResult>;
  /** Looks up the owner of a wallet or account. Never throws; null when the channel cannot say. */
  lookupName?(party: Party, call: CallOptions): Promise<NameResult>;
  /** returns false if the channel's letters leave nothing of the name; absent: any name passes */
  carriesName?(fullName: string): boolean;
  /** checks a signature, or a secret in the address; nothing is parsed, a proof in the body is scanned for */
  verifyNotification(raw: RawNotification): boolean;
  /** Reads the notification of a proven sender; null when it is not one of this protocol. */
  translateNotification(raw: RawNotification): Notification | null;
  /** names the transaction of an unproven notification, so that we ask; null if it names none */
  hintOf?(raw: RawNotification): Subject | null;
};

export type CallOptions = { timeoutMs: number; signal?: AbortSignal; sent?: Sent };
/** An answer is told from a page by these facts of the send. Calls that move nothing have none. */
export type Sent = { reference: string; direction: Direction };

export type { WalletParty };
export type Party = WalletParty | BankParty;

/** `reference` is ours, decided once per transaction and the same on every attempt; channels deduplicate on it. */
type Order = {
  transactionId: string;
  reference: string;
  amount: Minor;
  currency: string;
  description: string;
};
export type PushOrder = Order & { party: WalletParty };
export type PayoutOrder = Order & {
  party: Party;
  /** number of this send, from 1: a message id that must be new each time is made from it */
  sendNumber: number;
};
export type Enquiry = {
  transactionId: string;
  reference: string;
  direction: Direction;
  /** the number that the channel gave when it took the send, if any: to ask by, and never a receipt */
  channelReference: string | null;
  /** The amount of the request, only for a protocol whose answers name none: there the request was carried out as it stood. */
  amount?: Minor;
  currency?: string;
  /** how many sends may have reached the channel; left out: one */
  sends?: number;
};

/** The money moved: what the channel says moved, to be compared with the transaction before anything is believed. */
export type Succeeded = {
  kind: 'succeeded';
  amount: Minor;
  currency: string;
  /** the receipt, which is one field of the protocol (channels/kit/receipt-fields.ts) */
  channelReference: string | null;
  /** their other numbers of it, which only point; absent where there are none */
  alsoKnownAs?: readonly string[];
  fullName: string | null;
};
export type Failed = { kind: 'failed'; code: FailureCode; channelReference: string | null };
/** Accepted and in progress. */
type Accepted = { kind: 'accepted'; channelReference: string | null };
/** Nothing was processed: no byte left, or we were refused. `refused`: by a page, or at our login. */
export type NotSent = { kind: 'not_sent'; detail: string; refused?: 'page' | 'login' };
/** The channel has never seen the reference. */
type NotFound = { kind: 'not_found' };
/** Anything unclear is no failure. `seen`: the channel has the reference, so "not found" proves nothing. */
export type Unknown = { kind: 'unknown'; detail: string; seen?: true } & Pick<NotSent, 'refused'>;

export type SendResult = Accepted | Succeeded | Failed | NotSent | Unknown;
export type EnquiryResult = Accepted | Succeeded | Failed | NotFound | Unknown;
export type NameResult = { kind: 'found'; fullName: string } | { kind: 'not_found' } | { kind: 'unknown' };

/** An HTTP request of a channel to our notification door, exactly as it came. */
export type RawNotification = {
  method: string;
  /** the transaction id in the address, where the protocol's addresses carry one */
  transactionId: string | null;
  /** the secret in the address, where the protocol's addresses carry one */
  token: string | null;
  headers: Record<string, string | undefined>;
  body: Buffer;
};

/** Our id or our reference names the transaction. */
export type Subject = { transactionId: string } | { reference: string };

/**
 * `returned` means that the money of a success went back. `pending` is an interim state, worth storing, never
 * final. `ask` means that something was decided but the message says too little: we ask the channel at once.
 */
export type NotificationContent =
  | Succeeded
  | Failed
  | { kind: 'pending' }
  | { kind: 'ask' }
  | {
      kind: 'returned';
      amount: Minor;
      currency: string;
      reason: string;
      channelReference: string | null;
      /** a message of money that never moved looks the same: then the transaction failed with this code */
      orFailed?: FailureCode;
    };

/** Messages that name neither direction nor amount need these facts of the transaction. */
export type Named = { direction: Direction; amount: Minor; currency: string; isFinal: boolean };

export type Notification = {
  /** unique per channel and event: a repeated delivery carries the same */
  eventKey: string;
  /** which transaction it names */
  subject: Subject;
  /** which send of ours it is about, where the protocol names it: a failure of an earlier one ends nothing */
  sendNumber?: number;
  content: NotificationContent;
  /** the same message may name further transactions */
  others?: readonly Notification[];
  /** This replaces `content` for the named transaction. */
  contentFor?(named: Named): NotificationContent;
};
