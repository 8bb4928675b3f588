import type { Succeeded } from '../../domain/channel.ts';
import { isSameName } from '../../domain/receipt.ts';

export type Names = Pick<Succeeded, 'channelReference' | 'alsoKnownAs'>;

/**
 * Returns a movement's names: its receipt, and other numbers that only point to it. One field of a message is
 * the receipt; nothing replaces it if it is missing. Our own reference is no name, and neither are ids that a
 * client makes anew for each try (conversation, correlation, message): callers leave these out.
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
