import { failureData } from './data/failure-codes.ts';
import type { FailureCode } from './failure-code.ts';
import { answers } from './messages/answers.ts';
import { callbacks } from './messages/callbacks.ts';
import { pages } from './messages/pages.ts';
import { problems } from './messages/problems.ts';
import { refusals } from './messages/refusals.ts';
import { requests } from './messages/requests.ts';
import { words } from './messages/words.ts';

/** A product owner changes these in data/failure-codes.json. */
const failures = Object.fromEntries(
  failureData.codes.map(({ code, reason }) => [`failure_${code}`, reason]),
) as Record<`failure_${FailureCode}`, string>;

/** These are the English messages by id; `{amount}` and the like are filled in. */
export const english = {
  ...answers,
  ...problems,
  ...requests,
  ...refusals,
  ...callbacks,
  ...pages,
  ...words,
  ...failures,
};

export type MessageId = keyof typeof english;
type Value = string | number | Message;

type NamesIn<Text> = Text extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never;
type NamesOf<Id extends MessageId> = NamesIn<(typeof english)[Id]>;

/** A message has no language yet. A value that needs translation is itself a message. */
export class Message {
  readonly id: MessageId;
  readonly values: Readonly<Record<string, Value>>;
  constructor(id: MessageId, values: Readonly<Record<string, Value>>) {
    this.id = id;
    this.values = values;
  }
}

export function say<Id extends MessageId>(
  id: Id,
  ...[values]: [NamesOf<Id>] extends [never] ? [] : [values: Record<NamesOf<Id>, Value>]
): Message {
  return new Message(id, values ?? {});
}

/** A message, or an English text that only operators or channels read. */
export type Sentence = Message | string;

export function textOf({ id, values }: Message, catalogue: Readonly<Record<MessageId, string>>): string {
  return catalogue[id].replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name];
    return value instanceof Message ? textOf(value, catalogue) : String(value);
  });
}

export function inEnglish(sentence: Sentence): string {
  return typeof sentence === 'string' ? sentence : textOf(sentence, english);
}
