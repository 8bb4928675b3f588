import { z } from 'zod';
import type { KeyRing } from '../../base/key-ring.ts';
import type { Channel, RawNotification } from '../../domain/channel.ts';
import type { AnswersAbout } from './about.ts';
import type { ChannelCodes } from './codes.ts';
import type { BillDoors } from './door.ts';
import type { HttpClient } from './http.ts';
import type { StatementSource } from './statement-source.ts';

/** A protocol that the channels file can name: a folder with this object, and a line in `protocols.ts`. */
// biome-ignore lint/suspicious/noExplicitAny: the file decides which settings go with which protocol
export type Protocol<Settings = any> = {
  name: string;
  settings: z.ZodType<Settings>;
  /** secret members of the settings (`push.password`) */
  secrets: readonly string[];
  /** absent if nothing is sent */
  codes?: ChannelCodes;
  answersAbout: AnswersAbout;
  /** words that distinguish its answers from pages (page.ts); absent if nothing is sent */
  marks?: readonly string[];
  /** Opens one connection. Sends nothing. */
  open(settings: Settings, world: ProtocolWorld): OpenConnection;
};

export type ProtocolWorld = {
  /** address at which channels reach our doors, without a trailing slash */
  publicUrl: string;
  /** the first derives secrets in notification addresses, one per transaction; all are accepted */
  notificationSecrets: KeyRing;
  log: ProtocolLog;
  http: HttpClient;
};

/** Log lines contain no personal data and no secret. */
export type ProtocolLog = Record<'info' | 'warn' | 'error', (facts: object, message: string) => void>;

/** A protocol omits what it lacks. */
export type OpenConnection = {
  capabilities: Capabilities;
  /** takes a network or `bank`; absent if only bills come in */
  channel?(channelId: string): Channel;
  timing?: Partial<ProtocolTiming>;
  notificationDoors?: readonly (NotificationDoor | PlainDoor)[];
  bills?: BillDoors;
  /** reads a network's own list of movements on our account */
  statements?(channelId: string): StatementSource;
  /** Makes a harmless call that tests address and credentials: returns a short sentence, or rejects. */
  check?(): Promise<string>;
  /** addresses that we call; needed if there is no `check` */
  addresses?: readonly string[];
};

/** Tests our access by an enquiry about no transaction, for protocols without a harmless call. */
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
  if (result.kind === 'not_found') return 'answers that it does not know a made-up payment';
  throw new Error(`asked about a made-up payment: ${'detail' in result ? result.detail : result.kind}`);
}

const CHECK_TIMEOUT_MS = 5_000;

/** A protocol may know these facts better than data/networks.json. */
export type ProtocolTiming = {
  promptTtlMs: number;
  /** when to enquire about an unanswered prompt, from the send on */
  promptEnquiriesMs: readonly number[];
  firstEnquiryAfterMs: number;
  settleTimeMs: number;
  sendTimeoutMs: number;
};

/** The gateway offers only these abilities of a protocol. */
export type Capabilities = {
  push: boolean;
  payouts: readonly ('wallet' | 'bank')[];
  /** True if the channel finds our reference. If not, an operator decides after the channel's time. */
  enquiry: boolean;
  /** True if the channel refuses a repeated reference. If not, we send only once. */
  deduplicates: { collection: boolean; payout: boolean };
};

export const billsOnly: Capabilities = {
  push: false,
  payouts: [],
  enquiry: false,
  deduplicates: { collection: false, payout: false },
};

/** A bearer token identifies the provider. */
export const billTokens = z.strictObject({
  /** several during a replacement */
  tokens: z.array(z.string().regex(/^[\x21-\x7e]{24,}$/, 'must be at least 24 visible characters')).min(1),
});
export type BillTokens = z.infer<typeof billTokens>;

/** A protocol reports a transaction's end at this address, and expects this answer. */
export type NotificationDoor = {
  name: string;
  method: 'POST' | 'PUT' | 'GET';
  /** path below PUBLIC_URL; may contain `:transactionId` and `:token` */
  path: string;
  answer(outcome: NotificationOutcome, raw: RawNotification): DoorText;
};

/** Answers 204 if the message is stored or not ours, else an error as JSON. */
export type PlainDoor = Omit<NotificationDoor, 'answer'> & { answer?: undefined };

/**
 * stored, duplicate: committed. noted: unproven, but about our transaction, so we enquire. unknown: not ours.
 * refused: unproven and unread. unreadable: not of this protocol.
 */
export type NotificationOutcome = 'stored' | 'duplicate' | 'noted' | 'unknown' | 'refused' | 'unreadable';

/** The answer has the protocol's own bytes; an empty body has no content type. */
export type DoorText = {
  status: number;
  headers?: Readonly<Record<string, string>>;
  contentType?: string;
  body: string;
};
