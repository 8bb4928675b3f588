import { createHmac } from 'node:crypto';
import type { KeyRing } from '../../base/key-ring.ts';
import type {
  CallOptions,
  Channel,
  Enquiry,
  EnquiryResult,
  NameResult,
  Party,
  PayoutOrder,
  PushOrder,
  RawNotification,
  SendResult,
} from '../../domain/channel.ts';
import type { Direction } from '../../domain/kinds.ts';
import { toDecimal } from '../../domain/money.ts';
import { readCleanJson, readOk } from '../kit/clean-json.ts';
import { describeResult, type HttpResult, saysNothing } from '../kit/http.ts';
import { isSameText } from '../kit/secret.ts';
import { asSeen, unclear, unknown } from '../kit/unclear.ts';
import { type GsmaClient, readError } from './client.ts';
import { translateNotification } from './notification.ts';
import { nameOf, refusalOf, stateOf, transactionOf } from './translate.ts';
import {
  accountNameSchema,
  requestStateSchema,
  responseSchema,
  transactionSchema,
  typeOfDirection,
  type WireCreate,
  type WireParty,
} from './wire.ts';

export type GsmaChannelOptions = {
  client: GsmaClient;
  /** network named in a header, so that a shared provider can route */
  network: string;
  organisationId: string;
  publicUrl: string;
  /** the first makes addresses; every one proves notifications */
  notificationSecrets: KeyRing;
};

const DESCRIPTION_MAX = 160;
const TOKEN_CHARACTERS = 32;

/**
 * Derives the token in the address of one transaction's notifications
 * (`…/channels/gsma/{transaction_id}/{token}`). Tokens differ by direction, because an error object does not
 * say which kind failed.
 */
export function notificationToken(
  secret: Uint8Array,
  transactionId: string,
  direction: Direction = 'collection',
): string {
  const subject = direction === 'collection' ? transactionId : `payout/${transactionId}`;
  return createHmac('sha256', secret).update(subject).digest('base64url').slice(0, TOKEN_CHARACTERS);
}

export function createGsmaChannel(options: GsmaChannelOptions): Channel {
  const { publicUrl, notificationSecrets } = options;
  const client = routedTo(options.network, options.client);
  const ours: WireParty = [{ key: 'organisationid', value: options.organisationId }];

  async function send(order: PushOrder | PayoutOrder, direction: Direction, call: CallOptions) {
    if (order.party.kind !== 'wallet') return { kind: 'not_sent', detail: 'not a wallet' } as const;
    const customer: WireParty = [{ key: 'msisdn', value: `+${order.party.msisdn}` }];
    const body: WireCreate = {
      amount: toDecimal(order.amount),
      currency: order.currency,
      debitParty: direction === 'collection' ? customer : ours,
      creditParty: direction === 'collection' ? ours : customer,
      requestingOrganisationTransactionReference: order.reference,
      descriptionText: order.description.slice(0, DESCRIPTION_MAX),
    };
    const token = notificationToken(notificationSecrets[0].key, order.transactionId, direction);
    const headers = {
      'x-correlationid': order.transactionId,
      'x-callback-url': `${publicUrl}/channels/gsma/${order.transactionId}/${token}`,
    };
    const path = `/transactions/type/${typeOfDirection[direction]}`;
    const answer = await client.send({ method: 'POST', path, headers, body }, call);
    return sendResultOf(answer, { reference: order.reference, direction });
  }

  function directionOfToken(raw: RawNotification): Direction | null {
    const { transactionId, token } = raw;
    if (transactionId === null || token === null) return null;
    // All tokens are computed and compared, so that the time taken reveals nothing.
    const [matching = null] = notificationSecrets.flatMap(({ key }) =>
      (['collection', 'payout'] as const).filter((direction) =>
        isSameText(token, notificationToken(key, transactionId, direction)),
      ),
    );
    return matching;
  }

  return {
    requestPush: (order, call) => send(order, 'collection', call),
    requestPayout: (order, call) => send(order, 'payout', call),
    enquire: (order, call) => enquire(client, order, call),
    lookupName: (party, call) => lookupName(client, party, call),
    verifyNotification: (raw) => directionOfToken(raw) !== null,
    translateNotification: (raw) => translateNotification(raw, directionOfToken(raw) ?? 'collection'),
  };
}

/** Names the network in every call: a shared provider must not answer for another network's customer. */
export function routedTo(network: string, client: GsmaClient): GsmaClient {
  const routing = {
    'x-account-holding-institution-identifier-type': 'organisationid',
    'x-account-holding-institution-identifier': network,
  };
  return {
    send: (request, call) => client.send({ ...request, headers: { ...routing, ...request.headers } }, call),
  };
}

/** Only a 4xx with the standard's error object refuses. */
function sendResultOf(answer: HttpResult, expected: { reference: string; direction: Direction }): SendResult {
  if (answer.kind === 'not_sent') return answer;
  if (answer.kind === 'broken') return unclear(answer);
  // Some providers answer 200 where the document requires 201 or 202.
  if ([200, 201, 202].includes(answer.status)) return asSeen(acceptanceOf(answer.body, expected));
  const error = answer.status >= 400 && !saysNothing(answer.status) ? readError(answer.body) : null;
  return error ? refusalOf(error, expected.direction) : unknown(describeResult(answer));
}

function acceptanceOf(body: Buffer, expected: { reference: string; direction: Direction }): SendResult {
  const transaction = readCleanJson(transactionSchema, body);
  if (transaction) return transactionOf(transaction, expected);
  const state = readCleanJson(requestStateSchema, body);
  if (!state) return unknown('unreadable answer');
  const result = stateOf(state, expected.direction);
  // `completed` counts only after the resource was read, which has the amount.
  if (result.kind === 'completed' || result.kind === 'pending')
    return { kind: 'accepted', channelReference: result.channelReference };
  return result;
}

/** Asks by our X-CorrelationID, which works even if the create call got no answer. */
async function enquire(client: GsmaClient, order: Enquiry, call: CallOptions): Promise<EnquiryResult> {
  const found = await client.send({ method: 'GET', path: `/responses/${order.transactionId}` }, call);
  if (found.kind !== 'answer') return unclear(found);
  if (found.status === 404) {
    // A 404 without an error object is a proxy's, not the provider's.
    const category = readError(found.body)?.errorCategory;
    return category === 'identification'
      ? { kind: 'not_found' }
      : unknown('a 404 that is not the provider’s');
  }
  const path = pathOfLink(readOk(responseSchema, found)?.link);
  if (path === null) return unknown(`responses: ${describeResult(found)}`);
  return asSeen(await follow(client, order, path, call));
}

async function follow(
  client: GsmaClient,
  order: Enquiry,
  path: string,
  call: CallOptions,
): Promise<EnquiryResult> {
  const answer = await client.send({ method: 'GET', path }, call);
  if (answer.kind !== 'answer') return unclear(answer);
  if (answer.status !== 200) return unknown(`${path}: ${describeResult(answer)}`);
  const transaction = readCleanJson(transactionSchema, answer.body);
  if (transaction) return transactionOf(transaction, order);
  const state = readCleanJson(requestStateSchema, answer.body);
  if (!state) return unknown(`${path}: unreadable answer`);
  const result = stateOf(state, order.direction);
  if (result.kind === 'pending') return { kind: 'accepted', channelReference: result.channelReference };
  if (result.kind !== 'completed') return result;
  // The resource's own link cannot be a RequestState again, so there are at most three calls.
  if (result.channelReference === null || path.startsWith('/transactions/'))
    return unknown('completed, but where is not said');
  return follow(client, order, `/transactions/${encodeURIComponent(result.channelReference)}`, call);
}

/** Accepts links to the two known resources below our base address: a link never sends us elsewhere. */
function pathOfLink(link: string | undefined): string | null {
  const match = /(?:^|\/)(transactions|requeststates)\/([^/?#]+)$/.exec(link ?? '');
  if (!match?.[1] || !match[2]) return null;
  try {
    return `/${match[1]}/${encodeURIComponent(decodeURIComponent(match[2]))}`;
  } catch {
    return null;
  }
}

async function lookupName(client: GsmaClient, party: Party, call: CallOptions): Promise<NameResult> {
  if (party.kind !== 'wallet') return { kind: 'unknown' };
  const path = `/accounts/msisdn/${encodeURIComponent(`+${party.msisdn}`)}/accountname`;
  const answer = await client.send({ method: 'GET', path }, call);
  if (answer.kind !== 'answer') return { kind: 'unknown' };
  if (answer.status === 404 && readError(answer.body)?.errorCode === 'identifierError')
    return { kind: 'not_found' };
  const fullName = nameOf(readOk(accountNameSchema, answer)?.name);
  return fullName === null ? { kind: 'unknown' } : { kind: 'found', fullName };
}
