import type { FailureCode } from './failure.ts';
import type { Direction } from './kinds.ts';
import type { Minor } from './money.ts';
import type { BankParty, WalletParty } from './party.ts';

/**
 * A channel is a network or bank rail behind its own protocol. It knows HTTP and its wire format, never
 * Temporal or the database. Only the provider's explicit answer is final: a timeout, a broken connection, a
 * 5xx or an unknown code is `unknown`, and money stays where it is.
 */
export type Channel = {
  /** Asks the customer's phone to confirm. Called once per recorded send. Never throws. */
  requestPush?(order: PushOrder, call: CallOptions): Promise<SendResult>;
  /** Pays out. Called once per recorded send. Never throws. */
  requestPayout?(order: PayoutOrder, call: CallOptions): Promise<SendResult>;
  /** Asks for the outcome of a reference. Never throws. */
  enquire(order: Enquiry, call: CallOptions): Promise<EnquiryResult>;
  /** Looks up the owner of a wallet or account. Never throws; null if unknown. */
  lookupName?(party: Party, call: CallOptions): Promise<NameResult>;
  /** false if the channel's alphabet can write no letter of the name; absent: any name passes */
  carriesName?(fullName: string): boolean;
  /** checks a signature or a secret; scans the body for it, without parsing */
  verifyNotification(raw: RawNotification): boolean;
  /** Reads a proven sender's notification; null if it is not of this protocol. */
  translateNotification(raw: RawNotification): Notification | null;
  /** transaction of an unproven notification, to ask about */
  hintOf?(raw: RawNotification): Subject | null;
};

export type CallOptions = { timeoutMs: number; signal?: AbortSignal; sent?: Sent };
/** A call that moves money has these facts, which distinguish an answer from a web page. */
export type Sent = { reference: string; direction: Direction };

export type { WalletParty };
export type Party = WalletParty | BankParty;

/** `reference`: ours, the same on every attempt; channels deduplicate on it. */
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
  /** number of this send, from 1; makes message ids that must be new each time */
  sendNumber: number;
};
export type Enquiry = {
  transactionId: string;
  reference: string;
  direction: Direction;
  /** number that the channel gave on acceptance: for enquiries, never a receipt */
  channelReference: string | null;
  /** The requested amount, for protocols that pay exactly that and name none in answers. */
  amount?: Minor;
  currency?: string;
  /** sends that may have reached the channel; default 1 */
  sends?: number;
};

/** The money moved: compare what the channel says with the transaction before believing it. */
export type Succeeded = {
  kind: 'succeeded';
  amount: Minor;
  currency: string;
  /** receipt, from one field of the protocol (channels/kit/receipt-fields.ts) */
  channelReference: string | null;
  /** the channel's other numbers, which are only pointers */
  alsoKnownAs?: readonly string[];
  fullName: string | null;
};
export type Failed = { kind: 'failed'; code: FailureCode; channelReference: string | null };
type Accepted = { kind: 'accepted'; channelReference: string | null };
/**
 * Nothing was processed: no byte left, or the request was refused. `refused`: by a web page, or at our login.
 */
export type NotSent = { kind: 'not_sent'; detail: string; refused?: 'page' | 'login' };
type NotFound = { kind: 'not_found' };
/** Unclear is not failed. `seen`: the channel has the reference, so "not found" proves nothing. */
export type Unknown = { kind: 'unknown'; detail: string; seen?: true } & Pick<NotSent, 'refused'>;

export type SendResult = Accepted | Succeeded | Failed | NotSent | Unknown;
export type EnquiryResult = Accepted | Succeeded | Failed | NotFound | Unknown;
export type NameResult = { kind: 'found'; fullName: string } | { kind: 'not_found' } | { kind: 'unknown' };

/** A channel sent this HTTP request to our notification address. */
export type RawNotification = {
  method: string;
  /** transaction id, if the protocol's addresses carry one */
  transactionId: string | null;
  /** secret, if the protocol's addresses carry one */
  token: string | null;
  headers: Record<string, string | undefined>;
  body: Buffer;
};

export type Subject = { transactionId: string } | { reference: string };

/**
 * `returned`: the money of a success was sent back. `pending`: an interim state, stored, never final. `ask`:
 * the message says too little, so we ask the channel at once.
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
      /** failure, if the channel says the same of money that never moved */
      orFailed?: FailureCode;
    };

/** Facts for messages that name neither direction nor amount. */
export type Named = { direction: Direction; amount: Minor; currency: string; isFinal: boolean };

export type Notification = {
  /** unique per channel and event; repeated deliveries have the same */
  eventKey: string;
  subject: Subject;
  /** send that it concerns, if named: a failure of an earlier send ends nothing */
  sendNumber?: number;
  content: NotificationContent;
  others?: readonly Notification[];
  /** Replaces `content` for the named transaction. */
  contentFor?(named: Named): NotificationContent;
};
