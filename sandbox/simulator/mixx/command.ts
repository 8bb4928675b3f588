import type { Context } from 'koa';
import { minorFromDecimal, toDecimal, toUnits } from '../../../src/domain/money.ts';
import { parseMsisdn } from '../../../src/domain/msisdn.ts';
import { readBody } from '../core/body.ts';
import { movedBy, type NewOrder, type Order } from '../core/order.ts';
import type { RailContext } from '../core/rail.ts';
import { isSlow, ownerOf, type Refusal } from '../core/scenario.ts';
import { pause, takeOrder } from '../core/take.ts';
import { MIXX_PATHS, MIXX_RAIL, type MixxOptions, sentenceOf } from './common.ts';
import {
  type Command,
  commandXml,
  NAME_TYPE,
  PAYOUT_TYPES,
  readCommand,
  referenceOfPush,
  STATUS_TYPE,
} from './wire.ts';

/** The network decides a payout while its caller waits, at most this long. */
const DECISION_WAIT_MS_MAX = 5_000;
const DECISION_STEP_MS = 10;

/** An ending without a known code gets the generic one, "keep the amount on hold". */
const codeOfRefusal: Record<Refusal, string> = {
  limit_reached: '60021',
  not_registered: '60074',
  declined: '00317',
  insufficient_funds: '60019',
  expired: '100',
  network_error: '100',
};
const ON_HOLD = '100';

export function addMixxCommands(rail: RailContext, options: MixxOptions & { billerCode: string }): void {
  const { router, orders, timing } = rail;
  router.post(MIXX_PATHS.payout, take);
  router.post(MIXX_PATHS.status, take);

  async function take(context: Context): Promise<void> {
    const command = readCommand(await readBody(context));
    context.type = 'application/xml';
    if (command && PAYOUT_TYPES.includes(command.type)) return payOut(context, command);
    if (command?.type === STATUS_TYPE) return showStatus(context, command);
    if (command?.type === NAME_TYPE) return showName(context, command);
    brokenService(context);
  }

  async function payOut(context: Context, command: Command): Promise<void> {
    const refused = wrongIn(command);
    if (refused !== null) return answerPayout(context, command, { status: refused, message: 'Refused' });
    const wanted = orderOf(command);
    if (wanted === null) return brokenService(context);
    await takeOrder(context, rail, {
      wanted,
      say: {
        // The answer to a repeated REFERENCEID is not documented. The book moves money once.
        duplicate: () => answerPayout(context, command, onHold),
        broken: () => brokenService(context, 500),
        async taken(order) {
          await decided(order);
          answerPayout(context, command, outcomeOf(order));
        },
      },
    });
  }

  function wrongIn(command: Command): string | null {
    if (options.pin !== undefined && command.text('PIN') !== options.pin) return '00026';
    const amount = minorFromDecimal(command.text('AMOUNT') ?? '');
    return amount !== null && amount > 0 ? null : '60017';
  }

  async function showStatus(context: Context, command: Command): Promise<void> {
    const about = command.text('EXTERNALREFID') ?? '';
    if (options.pin !== undefined && command.text('PIN') !== options.pin)
      return answerStatus(context, [['RESULTCODE', 'GetSOError002']]);
    const order = orders.byReference(MIXX_RAIL, referenceOfPush(about, options.billerCode));
    if (!order)
      return answerStatus(context, [
        ['RESULTCODE', 'GetSOError001'],
        ['RESULTDESC', 'No such sales order'],
      ]);
    answerStatus(context, [
      ['RESULTCODE', '0'],
      ['RESULTDESC', order.state === 'failed' ? sentenceOf(order) : 'Sales order details retrieved'],
      ['TXNID', order.receipt],
      ['TXNSTATUS', { pending: 'Pending', succeeded: 'Posted', failed: 'Declined' }[order.state]],
      ['EXTERNALREFID', about],
      ['MSISDN', order.party],
      ['AMOUNT', toDecimal(movedBy(order))],
    ]);
    if (order.state === 'failed') await orders.noteFailureSeen(order);
  }

  async function showName(context: Context, command: Command): Promise<void> {
    const number = parseMsisdn(command.text('MSISDN1') ?? '');
    if (number !== null && isSlow(number)) await pause(timing.slowAnswerMs);
    const owner = number === null ? null : ownerOf(number);
    const outcome = owner === null ? { status: '60074', message: '' } : { status: '0', message: owner };
    answerPayout(context, command, outcome);
  }
}

type Outcome = { status: string; message: string; receipt?: string };
const onHold: Outcome = { status: ON_HOLD, message: 'General error, keep the amount on hold' };

function outcomeOf(order: Order): Outcome {
  const { state, refusal, receipt } = order;
  if (state === 'succeeded') return { status: '0', message: 'Success', receipt };
  if (state === 'pending') return onHold;
  return { status: codeOfRefusal[refusal ?? 'network_error'], message: sentenceOf(order), receipt };
}

function answerPayout(context: Context, command: Command, outcome: Outcome): void {
  context.body = commandXml(command.type, [
    ['REFERENCEID', command.text('REFERENCEID') ?? ''],
    ['TXNID', outcome.receipt ?? ''],
    ['TXNSTATUS', outcome.status],
    ['MESSAGE', outcome.message],
  ]);
}

function answerStatus(context: Context, elements: [string, string][]): void {
  context.body = commandXml(STATUS_TYPE, elements);
}

/** The real network sends such answers with any HTTP status. */
function brokenService(context: Context, status = 200): void {
  context.status = status;
  context.type = 'text/plain';
  context.body = 'Internal service error occurred. Please contact support for further details.';
}

function orderOf(command: Command): NewOrder | null {
  const reference = command.text('REFERENCEID');
  const party = parseMsisdn(command.text('MSISDN1') ?? '');
  const amount = minorFromDecimal(command.text('AMOUNT') ?? '');
  if (reference === null || party === null || amount === null) return null;
  return {
    rail: MIXX_RAIL,
    clientId: reference,
    reference,
    direction: 'out',
    network: 'tigo-pesa',
    party,
    amount: toUnits(amount),
    detail: { senderName: command.text('SENDERNAME') },
  };
}

async function decided(order: Order): Promise<void> {
  const deadline = Date.now() + DECISION_WAIT_MS_MAX;
  const willDecide = () => order.steps.length > 0 && Date.now() < deadline;
  while (order.state === 'pending' && willDecide()) await pause(DECISION_STEP_MS);
}
