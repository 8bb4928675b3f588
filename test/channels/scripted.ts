import assert from 'node:assert/strict';
import type {
  CallOptions,
  Channel,
  EnquiryResult,
  NotificationContent,
  PayoutOrder,
  PushOrder,
  RawNotification,
  SendResult,
} from '../../src/domain/channel.ts';
import { minor } from '../../src/domain/money.ts';
import { type Asked, openScriptedServer, type ScriptedAnswer } from '../support/scripted-server.ts';

export const PUSH = 'PY0000000000000001';
export const PAYOUT = 'PO0000000000000001';
/** One order for all: of, or to, one wallet. */
export const order = {
  transactionId: '0198c0de-0000-7000-8000-000000000001',
  amount: minor(1_500_000),
  currency: 'TZS',
  description: 'Payment',
  party: { kind: 'wallet', msisdn: '255754000001' },
  sendNumber: 1,
} as const;

const calls = {
  push: 'a push',
  payout: 'a payout',
  'push?': 'a question about a push',
  'payout?': 'a question about a payout',
};
export type Call = keyof typeof calls;
export type { ScriptedAnswer };
export type Answer = ScriptedAnswer | ((asked: Asked) => ScriptedAnswer | Promise<ScriptedAnswer>);

/** `changes`: of the order, or of the question. */
export async function say(
  channel: Channel,
  call: Call,
  changes: object = {},
  options: CallOptions = { timeoutMs: 2_000 },
): Promise<SendResult | EnquiryResult> {
  const [direction, reference] = call.startsWith('push')
    ? (['collection', PUSH] as const)
    : (['payout', PAYOUT] as const);
  const wanted = { ...order, reference, direction, channelReference: null, ...changes };
  if (call === 'push?' || call === 'payout?') return channel.enquire(wanted, options);
  const send = call === 'push' ? channel.requestPush : channel.requestPayout;
  assert.ok(send, call);
  return send(wanted as PushOrder & PayoutOrder, options);
}

/** Everything but sentences: `failed no_such_thing R1`, `succeeded TZS 15000 R1 ASHA JUMA`, `unknown seen`; `-` has no receipt. */
export function heard(result: SendResult | EnquiryResult | NotificationContent | null | undefined): string {
  if (!result) return 'nothing';
  const words: unknown[] = [result.kind];
  if ('code' in result) words.push(result.code);
  if ('amount' in result) words.push(result.currency, result.amount / 100);
  if ('channelReference' in result) words.push(result.channelReference ?? '-');
  if ('alsoKnownAs' in result) words.push(...(result.alsoKnownAs ?? []));
  if ('fullName' in result) words.push(result.fullName);
  if ('seen' in result) words.push('seen');
  if ('refused' in result) words.push(result.refused);
  return words.filter(Boolean).join(' ');
}

/** A protocol, as far as the tables need it. */
type Speech = {
  /** how the address of each call begins */
  paths: Partial<Record<Call, string>>;
  channelOf(url: string, settings: object): Channel;
  /** what it is asked to do otherwise than every other one */
  order?: object;
  /** the answers at other addresses, of logins and keys, until a test lays down another */
  besides?: Record<string, Answer>;
};
export type Network = ReturnType<typeof useNetwork>;

/** A network that answers each address with what a test laid down, in turn; the last answer repeats. */
export function useNetwork({ paths, channelOf, order = {}, besides = {} }: Speech) {
  let answers: Record<string, Answer[]> = {};
  let server: Awaited<ReturnType<typeof openScriptedServer>>;
  const pathOf = (at: Call | string) => paths[at as Call] ?? at;
  const network = {
    url: '',
    asked: [] as Asked[],
    channelOf: (settings: object = {}) => channelOf(network.url, settings),
    lay(at: Call | string, ...laid: Answer[]): void {
      answers[pathOf(at)] = laid;
    },
    /** at such addresses */
    sent: (at: Call | string) =>
      network.asked.filter(
        ({ path }) => path.startsWith(pathOf(at)) && (at in besides || !(path in besides)),
      ),
    hear: async (call: Call, settings?: object, changes?: object) =>
      heard(await say(network.channelOf(settings), call, { ...order, ...changes })),
  };
  before(async () => {
    server = await openScriptedServer((asked) => {
      const at = Object.keys(answers).filter((path) => asked.path.startsWith(path));
      const [longest = ''] = at.sort((one, other) => other.length - one.length);
      const laid = answers[longest] ?? [];
      const next = (laid.length > 1 ? laid.shift() : laid[0]) ?? { status: 599 };
      return typeof next === 'function' ? next(asked) : next;
    });
    network.url = server.url;
    network.asked = server.asked;
  });
  beforeEach(() => {
    answers = Object.fromEntries(Object.entries(besides).map(([path, answer]) => [path, [answer]]));
    network.asked.length = 0;
  });
  after(() => server.close());
  return network;
}

/** `settings`: of the account that calls. */
export type Row = readonly [call: Call, by: string, answer: Answer, heard: string, settings?: object];

export function itHears(network: Network, rows: readonly Row[]): void {
  for (const [call, by, answer, expected, settings] of rows)
    it(`${calls[call]}, answered by ${by}: ${expected}`, async () => {
      network.lay(call, answer);
      assert.equal(await network.hear(call, settings), expected);
    });
}

/** Answers that say nothing, to whatever they answer; nothing is sent twice for them. */
export function itKnowsNothing(
  network: Network,
  asking: readonly Call[],
  nonsense: readonly (readonly [what: string, answer: Answer])[],
  settings?: object,
): void {
  for (const [what, answer] of nonsense)
    it(`${asking.map((call) => calls[call]).join(', ')}, answered by ${what}: unknown, and not sent again`, async () => {
      for (const call of asking) {
        network.asked.length = 0;
        network.lay(call, answer);
        assert.equal(await network.hear(call, settings), 'unknown', call);
        assert.equal(network.sent(call).length, 1, call);
      }
    });
}

/** `proof`: whether its sender is proven; left out where a row does not say so. */
export type Told = readonly [of: string, raw: RawNotification, heard: string, proof?: 'proven' | 'unproven'];

export function itIsTold(channel: Channel, rows: readonly Told[]): void {
  for (const [what, raw, expected, proof] of rows)
    it(`a notification, ${what}: ${[proof, expected].join(' ').trim()}`, () => {
      assert.equal(heard(channel.translateNotification(raw)?.content), expected);
      if (proof) assert.equal(channel.verifyNotification(raw) ? 'proven' : 'unproven', proof);
    });
}

type Code = {
  code: string;
  outcome: string;
  failure_code?: string | undefined;
  collection?: string | undefined;
  payout?: string | undefined;
};
const usual: Record<string, string> = {
  success: 'accepted -',
  pending: 'accepted -',
  setup: 'not_sent login',
  ambiguous: 'unknown',
  duplicate: 'unknown seen',
};

/** The reason of a failure, of a row of a table of codes. */
export const failureOf = (row: Code, call: Call): string | undefined =>
  row[call.startsWith('push') ? 'collection' : 'payout'] ?? row.failure_code;

/** `but`: outcomes that this call makes something else of; `final`: what follows the reason of a failure. */
export function itReadsCodes(
  network: Network,
  call: Call,
  rows: readonly Code[],
  {
    answerOf,
    but = {},
    settings,
  }: { answerOf(code: string): Answer; but?: Record<string, string>; settings?: object },
): void {
  for (const row of rows) {
    const { [row.outcome]: other = usual[row.outcome] } = but;
    const expected =
      row.outcome === 'final' ? `failed ${failureOf(row, call)} ${other ?? '-'}` : String(other);
    it(`${calls[call]}, answered by the code ${row.code}: ${expected}`, async () => {
      network.lay(call, answerOf(row.code));
      assert.equal(await network.hear(call, settings), expected);
    });
  }
}
