import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { type JsonOf, writeAnswer } from '../../contract/json-of.ts';
import { linkAnswer, linkList } from '../../contract/link-schemas.ts';
import { GatewayError } from '../../domain/errors.ts';
import { isUuid } from '../../domain/ids.ts';
import { say } from '../../domain/messages.ts';
import { CURRENCY, toUnits } from '../../domain/money.ts';
import { billLimits } from '../../domain/network.ts';
import { linkQuantities, type WantedNumber } from '../../domain/number.ts';
import { Reply } from '../../platform/http/call.ts';
import { unavailable } from '../../platform/http/envelope.ts';
import { acceptFields, readFields } from '../../platform/http/fields.ts';
import { findStored, linkIdOf } from '../../transactions/acceptance/idempotency.ts';
import { type LinkNow, linksOf } from '../../transactions/rows/link-store.ts';
import { listNumbers, numbersById, setNumberStatus } from '../../transactions/rows/number-store.ts';
import { type ApiRequest, callerOf, done, REPLAYED } from '../kit/call.ts';
import { call, type Deps } from '../kit/gateway-call.ts';
import { pageIn, pageQuery, readQuery } from '../kit/list-query.ts';
import { moment } from '../kit/moments.ts';
import { amountWithin, descriptionField } from '../kit/request-fields.ts';
import { amountProblems } from '../kit/request-rules.ts';
import { expiryProblems } from '../payments/bill-order.ts';
import { listAnswer } from '../payments/transaction.ts';

const fields = {
  amount: amountWithin(billLimits).optional().meta({ description: 'Default: the payer enters it' }),
  description: descriptionField,
  expires_at: moment
    .optional()
    .meta({ description: 'When it stops taking payments; default: when you close it' }),
  quantity: z
    .enum(linkQuantities)
    .optional()
    .meta({ description: '`once` (the default): one payment; `many`: any number of payments' }),
};

export const createLink = call(
  {
    method: 'POST',
    paths: ['payments/links'],
    summary: 'Make a payment link: a short address for chats, SMS and posters',
    purpose:
      'Sell in a chat: the answer has the short address of a page that says what to pay, ' +
      'and asks a phone to pay it. `once` ends with its payment; `many` is for a poster.',
    scopes: ['payments:write'],
    body: fields,
    idempotencyKey: 'required',
    answer: linkAnswer,
    links: { to: ['getLink', 'closeLink'], at: '/link/id' },
    refusals: ['amount_out_of_range', 'idempotency_key_reused', 'unavailable', 'outcome_unknown'],
  },
  async (request, deps) => {
    if (deps.bills.linkUrlOf('') === undefined) throw unavailable(say('no_pages'));
    const { accountId } = callerOf(request);
    const { language } = request;
    const { idempotencyKey: key } = request;
    const id = linkIdOf(accountId, key);
    const stored = await findStored(deps.database, accountId, { key, paymentNumber: null });
    if (stored && stored.transactionId !== id) throw reused();
    const isThere = (await numbersById(deps.database, { accountId, ids: [id] })).has(id);
    const wanted = wantedOf(request, { id, isThere });
    const [made] = await deps.makeNumbers(request, [wanted]);
    if (!made) throw reused();
    const answer = await answerOf(request, deps, { id, message: 'link_made' });
    // Another code means that an earlier request made the link.
    if (made.customerReference === wanted.customerReference) return answer;
    return new Reply({ body: writeAnswer(answer, language), language, headers: REPLAYED });
  },
);

export const getLinks = call(
  {
    method: 'GET',
    paths: ['payments/links'],
    summary: 'Payment links, newest first, and the payments of each',
    purpose:
      'Page through your payment links, newest first, with the sum paid over each. ' +
      'The bills of a link are in `GET transactions` with the payment numbers `<code>-<n>`.',
    scopes: ['payments:read'],
    query: pageQuery,
    answer: linkList,
  },
  async (request, deps) => {
    const page = pageIn(readQuery(pageQuery, request.query));
    const { accountId } = callerOf(request);
    const found = await listNumbers(deps.database, { accountId, filter: { isLink: true } }, page);
    const links = { ...found, items: await linksOf(deps.database, found.items) };
    return listAnswer(say('links_found'), page, links, (link) => presentLink(link, deps));
  },
);

export const getLink = call(
  {
    method: 'GET',
    paths: ['payments/links/{id}'],
    summary: 'A payment link as it is now, and its payments',
    purpose:
      'See whether a payment link was paid: `payments` and `paid` count its bills. ' +
      'They are in `GET transactions` with the payment numbers `<code>-<n>`.',
    scopes: ['payments:read'],
    answer: linkAnswer,
  },
  (request, deps) => answerOf(request, deps, { id: request.id, message: 'link_found' }),
);

export const closeLink = call(
  {
    method: 'POST',
    paths: ['payments/links/{id}/close'],
    summary: 'Close a payment link',
    purpose:
      'Close a payment link, so that no more payers are asked. A payer who was asked before may still ' +
      'confirm; a second close changes nothing.',
    scopes: ['payments:write'],
    answer: linkAnswer,
  },
  async (request, deps) => {
    const { accountId } = callerOf(request);
    const { id } = request;
    if (isUuid(id)) await setNumberStatus(deps.database, { id, accountId, status: 'closed', isLink: true });
    return answerOf(request, deps, { id, message: 'link_closed' });
  },
);

const reused = () => new GatewayError('idempotency_key_reused', say('idempotency_key_reused'));

/** A link is a number with a code; each payer gets a bill (pay/bill-of-link.ts). */
function wantedOf(request: ApiRequest, { id, isThere }: { id: string; isThere: boolean }): WantedNumber {
  const read = readFields(fields, request.known);
  read.problems.push(...amountProblems(read.values.amount, billLimits, say('a_bill')));
  if (!isThere) read.problems.push(...expiryProblems(read.values.expires_at, Date.parse(request.receivedAt)));
  const { amount = null, description, expires_at: expiresAt = null, quantity = 'once' } = acceptFields(read);
  const code = newCode();
  return {
    id,
    customerReference: code,
    purpose: 'link',
    description,
    minimum: amount,
    maximum: amount,
    currency: CURRENCY,
    metadata: '{}',
    link: { code, quantity, expiresAt },
  };
}

/** 40 random bits are short to type but too many to guess (limit: data/prompts.json, `unknown`). */
function newCode(): string {
  return [...randomBytes(8)].map((byte) => ALPHABET[byte % 32]).join('');
}

/** Letters that look like digits or other letters are left out. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

/** Throws the same `not_found` for an unknown, foreign or malformed id. */
async function answerOf(
  request: ApiRequest,
  deps: Deps,
  { id, message }: { id: string; message: 'link_made' | 'link_found' | 'link_closed' },
): Promise<JsonOf<typeof linkAnswer>> {
  const { accountId } = callerOf(request);
  const found = isUuid(id) ? await numbersById(deps.database, { accountId, ids: [id] }) : null;
  const [link] = await linksOf(deps.database, [...(found?.values() ?? [])]);
  if (!link) throw new GatewayError('not_found', say('no_link'));
  const isMade = message === 'link_made' && link.status !== 'open';
  return { ...done(say(isMade ? 'link_found' : message)), link: presentLink(link, deps) };
}

function presentLink(link: LinkNow, { bills }: Deps): JsonOf<typeof linkAnswer>['link'] {
  return {
    id: link.id,
    url: bills.linkUrlOf(link.code) ?? '',
    description: link.description,
    amount: link.amount === null ? undefined : toUnits(link.amount),
    quantity: link.quantity,
    status: link.status,
    expires_at: link.expiresAt ?? undefined,
    payments: link.payments,
    paid: toUnits(link.paid),
    created_at: link.createdAt,
  };
}
