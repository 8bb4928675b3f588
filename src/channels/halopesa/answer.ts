import type { NotificationDoor, NotificationOutcome } from '../kit/protocol.ts';
import { defaultAnswers, type HalopesaAnswers } from './settings.ts';
import { CONTENT_TYPE, scanReference, wireTime, writeReturn } from './wire.ts';

const CALLBACK_PATHS = ['/channels/halopesa', '/channels/halopesa/:token'] as const;

export function writeAnswer(
  texts: readonly (readonly [name: string, text: string | number])[],
  form: HalopesaAnswers['form'],
): { contentType: string; body: string } {
  if (form === 'json')
    return { contentType: 'application/json', body: JSON.stringify(Object.fromEntries(texts)) };
  const body = writeReturn(texts.map(([name, text]) => [name, String(text)] as const));
  return { contentType: CONTENT_TYPE, body };
}

const ACCEPTED: readonly NotificationOutcome[] = ['stored', 'duplicate', 'noted'];

/**
 * Acknowledges a callback about a transaction of ours, even an unproven one. Any other gets 9012: not ours,
 * unreadable, or refused without a proof.
 */
export function halopesaDoors(
  answers: HalopesaAnswers = defaultAnswers,
  now: () => number = Date.now,
): readonly NotificationDoor[] {
  return CALLBACK_PATHS.map((path) => ({
    name: path.slice(1),
    method: 'POST',
    path,
    answer(outcome: NotificationOutcome, raw) {
      const reference = outcome === 'refused' ? null : scanReference(raw.body);
      const accepted = ACCEPTED.includes(outcome);
      const texts = [
        ['responseType', accepted ? answers.success : answers.error],
        ['response_code', accepted ? 0 : 9012],
        ['msg', accepted ? 'Received' : 'Not accepted'],
        ['ReferenceID', reference ?? 'INVLD'],
        ['ResponseTime', wireTime(now())],
      ] as const;
      return { status: 200, ...writeAnswer(texts, answers.form) };
    },
  }));
}
