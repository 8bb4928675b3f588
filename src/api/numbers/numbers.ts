import { z } from 'zod';
import { displayNameOf } from '../../accounts/display-name.ts';
import type { JsonOf } from '../../contract/json-of.ts';
import {
  numberAnswer,
  numberList,
  numbersAnswer,
  purposeDescription,
} from '../../contract/number-schemas.ts';
import { parseAccountNumber } from '../../domain/bank.ts';
import { GatewayError } from '../../domain/errors.ts';
import { isUuid } from '../../domain/ids.ts';
import { type Message, say } from '../../domain/messages.ts';
import { CURRENCY } from '../../domain/money.ts';
import { readPhone } from '../../domain/msisdn.ts';
import { billLimits } from '../../domain/network.ts';
import {
  NUMBERS_OF_A_BATCH,
  type NumberStatus,
  numberPurposes,
  numberStatuses,
  PAYERS_MAX,
  type WantedNumber,
} from '../../domain/number.ts';
import type { Database } from '../../platform/db/pool.ts';
import {
  acceptFields,
  type Fields,
  type Problem,
  pickKnown,
  readable,
  readFields,
  wrong,
} from '../../platform/http/fields.ts';
import { numberIdOf } from '../../transactions/acceptance/idempotency.ts';
import { drawQr } from '../../transactions/acceptance/qr-image.ts';
import {
  listNumbers,
  type NumberNow,
  numbersById,
  setNumberStatus,
} from '../../transactions/rows/number-store.ts';
import { type ApiRequest, callerOf, done } from '../kit/call.ts';
import { requireOpen } from '../kit/fence-watch.ts';
import { call, type Deps } from '../kit/gateway-call.ts';
import { inState, oneOf, pageIn, pageQuery, readQuery, visible } from '../kit/list-query.ts';
import {
  accountNumberField,
  amountWithin,
  descriptionField,
  metadataField,
  paymentNumberField,
  phoneField,
} from '../kit/request-fields.ts';
import { amountProblems, wholeUnits } from '../kit/request-rules.ts';
import { listAnswer } from '../payments/transaction.ts';
import { payloadOf, presentNumber } from './present-number.ts';

const limit = amountWithin(billLimits).optional();
const payerField = readable(
  (text) => readPhone(text).msisdn ?? parseAccountNumber(text),
  wrong(say('must_be_payer')),
).meta({
  pattern: [phoneField, accountNumberField].map((field) => field.meta()?.pattern).join('|'),
  description: 'A phone number, or the number of a bank account',
  example: '0754123456',
});
const fields = {
  customer_reference: paymentNumberField.meta({
    description:
      'Your own reference of the customer who pays it, unique in the account; space around it is dropped',
    example: 'PUPIL-0117',
  }),
  description: descriptionField.optional(),
  minimum: limit,
  maximum: limit,
  purpose: z.enum(numberPurposes).meta({ description: purposeDescription }).optional(),
  payers: z
    .array(payerField)
    .min(1)
    .max(PAYERS_MAX)
    .meta({ description: 'Only for `top_up`: the phones and accounts from which your own money comes' })
    .optional(),
  metadata: metadataField,
};

const numberLinks = { to: ['getNumber', 'closeNumber', 'openNumber'], at: '/number/id' } as const;

export const createNumber = call(
  {
    method: 'POST',
    paths: ['payments/numbers'],
    summary: 'Make a standing number: a control number for many payments',
    purpose:
      'Give somebody who pays again and again, such as a pupil or a tenant, ' +
      'one control number for ever. Each payment is a transaction of its own with its callback; ' +
      'the same request again gets the same number.',
    scopes: ['payments:write'],
    body: fields,
    answer: numberAnswer,
    links: numberLinks,
    refusals: ['amount_out_of_range', 'payment_number_taken', 'unavailable', 'outcome_unknown'],
  },
  async (request, deps) => {
    const wanted = wantedOf(
      request,
      acceptFields(readNumber(request.known)),
      request.body?.textOf('metadata'),
    );
    const [number] = await deps.makeNumbers(request, [wanted]);
    const message = number?.status === 'open' ? 'number_made' : 'number_closed';
    if (number) return answerOf(message, number, request, deps);
    const { customerReference: reference } = wanted;
    throw new GatewayError('payment_number_taken', say('customer_reference_taken', { reference }), {
      errors: [taken],
    });
  },
);

const taken = { field: 'customer_reference', message: say('must_be_unique_number') };

const BATCH_BYTES_MAX = 512 * 1024;
const batch = {
  numbers: z
    .array(z.object(fields))
    .min(1)
    .max(NUMBERS_OF_A_BATCH)
    .meta({ description: 'The numbers to make' }),
};
/** Numbers are not checked here, because each is read and refused on its own. */
const listed = {
  numbers: z.array(z.unknown()).min(1).max(NUMBERS_OF_A_BATCH),
};

export const createNumbers = call(
  {
    method: 'POST',
    paths: ['payments/numbers/batch'],
    summary: 'Make up to 1,000 standing numbers, with an answer for each',
    purpose:
      'Make the numbers of a whole school or estate in one request. ' +
      'Each has its own answer, in the same order, and you can send the same request again.',
    scopes: ['payments:write'],
    body: batch,
    bodyBytesMax: BATCH_BYTES_MAX,
    rowsMax: NUMBERS_OF_A_BATCH,
    answer: numbersAnswer,
    refusals: ['unavailable', 'outcome_unknown'],
  },
  async (request, deps) => {
    const { numbers: sent } = acceptFields(readFields(listed, request.known));
    const read = sent.map((one, index) => readOfBatch(request, one, index));
    const made = await deps.makeNumbers(
      request,
      read.flatMap((one) => ('wanted' in one ? [one.wanted] : [])),
    );
    const payee = await payeeOf(request, deps);
    const numbers = read.map((one) => {
      if (!('wanted' in one)) return one;
      const number = made.shift();
      if (number) return { number: shownIn(deps, number), qr: { payload: payloadOf(number, payee) } };
      return { customer_reference: one.wanted.customerReference, errors: [taken] };
    });
    const count = numbers.filter((one) => 'number' in one && one.number.status === 'open').length;
    return { ...done(say('numbers_made', { count, all: numbers.length })), numbers };
  },
);

const numberQuery = {
  ...pageQuery,
  customer_reference: visible(64, { description: 'Your own reference of the customer, in full' }),
  reference: visible(255, { description: 'A control number, in full' }),
  status: oneOf(numberStatuses, inState),
};

export const getNumbers = call(
  {
    method: 'GET',
    paths: ['payments/numbers'],
    summary: 'Standing numbers, newest first',
    purpose:
      'Page through your standing numbers, newest first, or find one by your reference or its control ' +
      'number. Their payments are in `GET transactions`, with the same reference.',
    scopes: ['payments:read'],
    query: numberQuery,
    answer: numberList,
  },
  async (request, deps) => {
    const {
      customer_reference: customerReference,
      reference,
      status,
      ...rest
    } = readQuery(numberQuery, request.query);
    const page = pageIn(rest);
    const { accountId } = callerOf(request);
    const filter = { customerReference, reference, status };
    const found = await listNumbers(deps.database, { accountId, filter }, page);
    return listAnswer(say('numbers_found'), page, found, (number) => shownIn(deps, number));
  },
);

export const getNumber = call(
  {
    method: 'GET',
    paths: ['payments/numbers/{id}'],
    summary: 'A standing number as it is now',
    purpose:
      'Look up a standing number: whether it is open, and its limits. ' +
      'Its payments are in `GET transactions?reference=` with its control number.',
    scopes: ['payments:read'],
    answer: numberAnswer,
  },
  async (request, deps) => {
    const { accountId } = callerOf(request);
    const { id } = request;
    const found = isUuid(id) ? await numbersById(deps.database, { accountId, ids: [id] }) : null;
    const number = await numberThere(deps.database, found?.get(id.toLowerCase()));
    return answerOf('number_found', number, request, deps);
  },
);

/** A repeated request changes nothing. A payment that arrives meanwhile is accepted or finds it closed. */
const setStatus = ({
  verb,
  status,
  ...words
}: {
  verb: 'close' | 'open';
  status: NumberStatus;
  summary: string;
  purpose: string;
}) =>
  call(
    {
      method: 'POST',
      paths: [`payments/numbers/{id}/${verb}`],
      ...words,
      scopes: ['payments:write'],
      answer: numberAnswer,
    },
    async (request, deps) => {
      const { accountId } = callerOf(request);
      const { id } = request;
      const number = isUuid(id) ? await setNumberStatus(deps.database, { id, accountId, status }) : null;
      const message = status === 'open' ? 'number_opened' : 'number_closed';
      return answerOf(message, await numberThere(deps.database, number), request, deps);
    },
  );

export const closeNumber = setStatus({
  verb: 'close',
  status: 'closed',
  summary: 'Take no more payments of a standing number',
  purpose:
    'Stop taking payments of a standing number, for a pupil who left. ' +
    'You can open it again, and a second close changes nothing.',
});
export const openNumber = setStatus({
  verb: 'open',
  status: 'open',
  summary: 'Take payments of a standing number again',
  purpose: 'Take payments of a closed standing number again. A second opening changes nothing.',
});

type Read = Fields<typeof fields>;

function readNumber(known: Record<string, unknown>): Read {
  const read = readFields(fields, known);
  const { minimum, maximum } = read.values;
  const subject = say('a_payment_of_a_number');
  const within = (field: 'minimum' | 'maximum'): Problem[] =>
    amountProblems(read.values[field], billLimits, subject).map((problem) => ({ ...problem, field }));
  read.problems.push(...within('minimum'), ...within('maximum'));
  if (minimum !== undefined && maximum !== undefined && maximum < minimum)
    read.problems.push({
      field: 'maximum',
      message: say('must_be_at_least', { amount: wholeUnits(minimum) }),
    });
  if (read.values.payers !== undefined && read.values.purpose !== 'top_up')
    read.problems.push({ field: 'payers', message: say('must_be_left_out_unless_top_up') });
  return read;
}

function wantedOf(
  request: ApiRequest,
  values: ReturnType<typeof acceptFields<typeof fields>>,
  metadata: string | null | undefined,
): WantedNumber {
  const { customer_reference: customerReference, purpose = 'collect', description = null } = values;
  return {
    id: numberIdOf(callerOf(request).accountId, customerReference),
    customerReference,
    purpose,
    description,
    minimum: values.minimum ?? null,
    maximum: values.maximum ?? null,
    currency: CURRENCY,
    ...(values.payers ? { payers: [...new Set(values.payers)].sort() } : {}),
    metadata: values.metadata === undefined ? '{}' : (metadata ?? '{}'),
  };
}

type Refused = { customer_reference: string | undefined; errors: ReturnType<typeof shown> };

function readOfBatch(request: ApiRequest, sent: unknown, index: number): { wanted: WantedNumber } | Refused {
  const name = `numbers.${index}`;
  const { values, problems } = readFields({ [name]: anObject }, { [name]: sent });
  const one = values[name];
  if (one === undefined) return { customer_reference: undefined, errors: shown(problems) };
  const read = readNumber(pickKnown(fields, one).known);
  if (read.problems.length === 0)
    return {
      wanted: wantedOf(request, acceptFields(read), request.body?.textOf('numbers', index, 'metadata')),
    };
  const { customer_reference: reference } = one;
  return {
    customer_reference: typeof reference === 'string' ? reference.slice(0, 64) : undefined,
    errors: shown(read.problems),
  };
}

const anObject = z.record(z.string(), z.unknown());

/** The cast is safe, because problems of fields are always messages (http/fields.ts). */
function shown(problems: readonly Problem[]) {
  return problems.map(({ field, message }) => ({ field, message: message as Message }));
}

/** Throws `not_found`, or `unavailable` if a restore may have lost it. */
async function numberThere(database: Database, number: NumberNow | null | undefined): Promise<NumberNow> {
  if (number) return number;
  await requireOpen(database);
  throw new GatewayError('not_found', say('no_number'));
}

async function answerOf(
  message: 'number_made' | 'number_found' | 'number_closed' | 'number_opened',
  number: NumberNow,
  request: ApiRequest,
  deps: Deps,
): Promise<JsonOf<typeof numberAnswer>> {
  const shownNumber = shownIn(deps, number);
  const payload = payloadOf(number, await payeeOf(request, deps));
  const qr = { payload, image: await drawQr(payload) };
  return { ...done(say(message)), number: shownNumber, qr };
}

/** The QR code has the merchant's display name, as its pages do. */
const payeeOf = async (request: ApiRequest, { bills, database }: Deps) => ({
  ...bills.payee,
  merchantName: await displayNameOf(database, callerOf(request).accountId),
});

const shownIn = ({ bills }: Deps, number: NumberNow) => presentNumber(number, bills.payUrlOf(number.id));
