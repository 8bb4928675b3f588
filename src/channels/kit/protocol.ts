import { z } from 'zod';
import type { KeyRing } from '../../base/key-ring.ts';
import type { Channel, RawNotification } from '../../domain/channel.ts';
import type { AnswersAbout } from './about.ts';
import type { ChannelCodes } from './codes.ts';
import type { BillDoors } from './door.ts';
import type { HttpClient } from './http.ts';
import type { StatementSource } from './statement-source.ts';

/** A protocol, as the channels file names it. A new one is a folder with one of these, and a line in `protocols.ts`. */
// biome-ignore lint/suspicious/noExplicitAny: the file decides which settings go with which protocol
export type Protocol<Settings = any> = {
  name: string;
  settings: z.ZodType<Settings>;
  /** members of the settings that are secret (`push.password`) */
  secrets: readonly string[];
  /** absent if nothing is sent */
  codes?: ChannelCodes;
  answersAbout: AnswersAbout;
  /** tells the protocol's own answers from pages (page.ts); absent if nothing is sent */
  marks?: readonly string[];
  /** Opens one connection. Nothing is sent before a channel is used. */
  open(settings: Settings, world: ProtocolWorld): OpenConnection;
};

export type ProtocolWorld = {
  /** the address under which channels reach our doors, without a trailing slash */
  publicUrl: string;
  /** per-transaction secrets in notification addresses are derived from the first; all of them are believed */
  notificationSecrets: KeyRing;
  /** names the connection in every line */
  log: ProtocolLog;
  /** logs the connection's calls */
  http: HttpClient;
};

/** Remarks of a protocol beside its answers. Never personal data, never a secret. */
export type ProtocolLog = Record<'info' | 'warn' | 'error', (facts: object, message: string) => void>;

/** A protocol leaves out what it does not have. */
export type OpenConnection = {
  capabilities: Capabilities;
  /** takes a network or `bank`; absent if only bills come in */
  channel?(channelId: string): Channel;
  timing?: Partial<ProtocolTiming>;
  notificationDoors?: readonly (NotificationDoor | PlainDoor)[];
  bills?: BillDoors;
  /** reads a network's own list of movements on our account */
  statements?(channelId: string): StatementSource;
  /** A call that changes nothing and shows whether address and credentials work: a short sentence, or it rejects. */
  check?(): Promise<string>;
  /** we call these addresses; needed if there is no such check */
  addresses?: readonly string[];
};

/** Asks about what never was, to show whether we are let in, if a protocol has no call for that. */
export async function askAboutNothing(channel: Channel): Promise<string> {
  const result = await channel.enquire(
    {
      transactionId: '00000000-0000-4000-8000-000000000000',
      reference: 'PO0000000000000000',
      direction: 'payout',
      channelReference: null,
    },
    { timeoutMs: CHECK_TIMEOUT_MS },
  );
  if (result.kind === 'not_found') return 'knows nothing of a payment that never was';
  throw new Error(
    `asked about a payment that never was: ${'detail' in result ? result.detail : result.kind}`,
  );
}

const CHECK_TIMEOUT_MS = 5_000;

/** A protocol may know these facts better than data/networks.json. */
export type ProtocolTiming = {
  promptTtlMs: number;
  /** when it may be asked about a prompt that nobody answered, counted from the send */
  promptEnquiriesMs: readonly number[];
  firstEnquiryAfterMs: number;
  settleTimeMs: number;
  /** how long a send may take */
  sendTimeoutMs: number;
};

/** The abilities of a protocol. The gateway offers nothing that a network's protocol cannot. */
export type Capabilities = {
  push: boolean;
  payouts: readonly ('wallet' | 'bank')[];
  /** True if the channel can look up our reference. Otherwise a person decides after the channel's time. */
  enquiry: boolean;
  /** True if the channel refuses our reference the second time. Otherwise we send once, ever. */
  deduplicates: { collection: boolean; payout: boolean };
};

export const billsOnly: Capabilities = {
  push: false,
  payouts: [],
  enquiry: false,
  deduplicates: { collection: false, payout: false },
};

/** Bill doors with these settings know a provider by its bearer token. */
export const billTokens = z.strictObject({
  /** several while one replaces another */
  tokens: z.array(z.string().regex(/^[\x21-\x7e]{24,}$/, 'must be at least 24 visible characters')).min(1),
});
export type BillTokens = z.infer<typeof billTokens>;

/** One address at which a protocol notifies us of the end of a transaction, and the answer that it expects. */
export type NotificationDoor = {
  name: string;
  method: 'POST' | 'PUT' | 'GET';
  /** below PUBLIC_URL; may name `:transactionId` and `:token` */
  path: string;
  answer(outcome: NotificationOutcome, raw: RawNotification): DoorText;
};

/** Answered with 204 for what is stored or none of ours, and with an error as JSON for the rest. */
export type PlainDoor = Omit<NotificationDoor, 'answer'> & { answer?: undefined };

/**
 * stored, duplicate: committed. noted: nothing proves its senders, it names a transaction of ours and is a reason to ask.
 * unknown: none of ours. refused: the sender is not proven, and what it sent was not read. unreadable: not of this
 * protocol.
 */
export type NotificationOutcome = 'stored' | 'duplicate' | 'noted' | 'unknown' | 'refused' | 'unreadable';

/** An answer as bytes of the protocol; an empty body has no content type. */
export type DoorText = {
  status: number;
  headers?: Readonly<Record<string, string>>;
  contentType?: string;
  body: string;
};
