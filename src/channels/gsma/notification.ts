import type { Notification, RawNotification, Succeeded } from '../../domain/channel.ts';
import { channelReferenceOf } from '../../domain/ids.ts';
import type { Direction } from '../../domain/kinds.ts';
import { readDoorJson } from '../kit/door-json.ts';
import { eventKeyOf } from '../kit/event-key.ts';
import { failureOf, type StateResult, stateOf, transactionOf } from './translate.ts';
import { errorSchema, requestStateSchema, transactionSchema } from './wire.ts';

type Content = Notification['content'];

/**
 * Reads a PUT to a transaction's address. The whole resource is a success, the error object a failure; some
 * providers send the RequestState. A message that proves nothing is `pending`: it is stored, and the enquiry
 * decides.
 */
export function translateNotification(raw: RawNotification, direction: Direction): Notification | null {
  const { transactionId } = raw;
  if (transactionId === null) return null;
  const content = contentOf(raw.body, transactionId, direction);
  if (content === null) return null;
  return {
    eventKey: eventKeyOf([transactionId, ...meaningOf(content, raw.body)]),
    subject: { transactionId },
    content,
  };
}

function contentOf(body: Buffer, transactionId: string, direction: Direction): Content | null {
  const transaction = readDoorJson(transactionSchema, body);
  if (transaction) {
    const reference = channelReferenceOf(direction, transactionId);
    return certain(transactionOf(transaction, { reference, direction }));
  }
  const state = readDoorJson(requestStateSchema, body);
  if (state) return certain(stateOf(state, direction));
  const error = readDoorJson(errorSchema, body);
  return error ? certain(failureOf(error, { direction })) : null;
}

function certain(result: Succeeded | StateResult): Content {
  return result.kind === 'succeeded' || result.kind === 'failed' ? result : { kind: 'pending' };
}

/** Deliveries with the same parts are one event. A message that decides nothing is known by its bytes. */
function meaningOf(content: Content, body: Buffer): (string | null)[] {
  if (content.kind === 'succeeded')
    return [
      content.kind,
      String(content.amount),
      content.currency,
      content.channelReference,
      ...(content.alsoKnownAs ?? []),
    ];
  if (content.kind === 'failed') return [content.kind, content.code, content.channelReference];
  return [content.kind, body.toString('base64')];
}
