import type { Succeeded } from '../../domain/channel.ts';
import { isSameName } from '../../domain/receipt.ts';

export type Names = Pick<Succeeded, 'channelReference' | 'alsoKnownAs'>;

/**
 * Returns a movement's names: its receipt, and ids that only point to it. Only one field is the receipt.
 * Callers leave out our own reference, and ids that a client makes for each try (conversation, correlation,
 * message).
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
