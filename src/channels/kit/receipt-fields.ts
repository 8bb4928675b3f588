import type { Succeeded } from '../../domain/channel.ts';
import { isSameName } from '../../domain/receipt.ts';

export type Names = Pick<Succeeded, 'channelReference' | 'alsoKnownAs'>;

/**
 * What a message calls a movement: the receipt, and its other numbers, which only point. One field of each message is
 * the receipt, and no other one stands in for it where it is missing. Our own reference is none, and neither is
 * what a client makes anew for each try: conversation, correlation and message ids are not given here.
 */
export function namesOf(
  receiptField: string,
  fields: Readonly<Record<string, string | null | undefined>>,
  ours: string,
): Names {
  const said = Object.entries(fields).flatMap(([of, text]) =>
    text?.trim() ? { of, name: text.trim() } : [],
  );
  const receipt = said.find(({ of }) => of === receiptField)?.name ?? null;
  const isOther = (name: string) => !isSameName(name, receipt ?? '') && !isSameName(name, ours);
  const alsoKnownAs = said.map(({ name }) => name).filter(isOther);
  return { channelReference: receipt, ...(alsoKnownAs.length === 0 ? {} : { alsoKnownAs }) };
}
