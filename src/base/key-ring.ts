/** A key by its name. The name stands beside what the key made, so that the right one is found later. */
export type NamedKey = { id: string; key: Uint8Array };

/** The keys of one purpose: the first makes what is new, every one of them is still good for what is old. */
export type KeyRing = readonly [NamedKey, ...NamedKey[]];

/** The key of this name; undefined when it is not among these. */
export function keyNamed(keys: readonly NamedKey[], id: string): NamedKey | undefined {
  return keys.find((one) => one.id === id);
}
