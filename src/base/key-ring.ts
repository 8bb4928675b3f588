/** Stored data names its key, so that we find the key when we read the data. */
export type NamedKey = { id: string; key: Uint8Array };

/** Keys of one purpose: the first one makes new data; all of them read old data. */
export type KeyRing = readonly [NamedKey, ...NamedKey[]];

export function keyNamed(keys: readonly NamedKey[], id: string): NamedKey | undefined {
  return keys.find((one) => one.id === id);
}
