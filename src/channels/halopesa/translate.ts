import type { Notification, RawNotification, SendResult, Subject } from '../../domain/channel.ts';
import { CURRENCY, minorSaid } from '../../domain/money.ts';
import { aboutAnother } from '../kit/about.ts';
import { channelCode, channelState, failureOfText, readCodes } from '../kit/codes.ts';
import { eventKeyOf } from '../kit/event-key.ts';
import { describeResult, type HttpResult, saysNothing } from '../kit/http.ts';
import { refusalBy } from '../kit/refused.ts';
import { unclear, unknown } from '../kit/unclear.ts';
import json from './codes.json' with { type: 'json' };
import type { HalopesaSettings } from './settings.ts';
import { FINAL_TYPE, type HaloReturn, readReturn, scanReference } from './wire.ts';

export const table = readCodes('halopesa', json);
const NAME_CHARACTERS_MAX = 64;

export function pushResultOf(answer: HttpResult, reference: string): SendResult {
  if (answer.kind === 'not_sent') return answer;
  if (answer.kind === 'broken') return unclear(answer);
  if (saysNothing(answer.status)) return unknown(describeResult(answer));
  const result = readReturn(answer.body);
  if (!result) return unknown(`no answer of the operation: ${describeResult(answer)}`);
  const another = aboutAnother(reference, result.text('referenceid'));
  if (another) return another;
  const text = result.text('response_code') ?? '';
  const code = channelCode(table, text, 'collection');
  if (code?.outcome === 'pending') return { kind: 'accepted', channelReference: null };
  return refusalBy(code, text);
}

/** Returns null if it is no callback of this operation, or has no reference. */
export function translateCallback(
  raw: RawNotification,
  settings: HalopesaSettings['callback'],
): Notification | null {
  const result = readReturn(raw.body);
  const reference = result?.text('referenceid') ?? null;
  if (!result || reference === null || reference.length > NAME_CHARACTERS_MAX) return null;
  const texts = ['response_code', 'response_type', settings.amountElement, settings.receiptElement];
  const meaning = [reference, ...texts.map((name) => result.text(name))];
  return {
    eventKey: eventKeyOf(meaning),
    subject: { reference },
    content: contentOf(result, settings),
  };
}

export function hintOf(raw: RawNotification): Subject | null {
  const reference = scanReference(raw.body);
  return reference !== null && reference.length <= NAME_CHARACTERS_MAX ? { reference } : null;
}

/** Only FIN ends a push, and a success needs the paid amount. */
function contentOf(result: HaloReturn, settings: HalopesaSettings['callback']): Notification['content'] {
  const state = channelState(table, result.text('response_code') ?? '', 'collection');
  const channelReference = result.text(settings.receiptElement);
  if (result.text('response_type')?.toUpperCase() !== FINAL_TYPE) return { kind: 'pending' };
  if (state?.outcome === 'final' && state.failureCode) {
    const isGeneral = state.failureCode === 'network_error' && !state.alert;
    const code = isGeneral
      ? failureOfText(table, result.text('message') ?? '', 'collection')
      : state.failureCode;
    return { kind: 'failed', code, channelReference };
  }
  const amount = minorSaid(result.text(settings.amountElement) ?? '');
  if (state?.outcome !== 'success' || amount === null) return { kind: 'pending' };
  return { kind: 'succeeded', amount, currency: CURRENCY, channelReference, fullName: null };
}
