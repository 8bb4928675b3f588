/** The value of a secret: one of our keys, or a text of the channels file. */
export type SecretValue = Uint8Array | string;

/** With what people may see of it: whose it is, and its name or a few digits of a hash. */
export type NamedSecret = { secret: string; name: string; value: SecretValue };

type Listener = (value: SecretValue) => void;
const listeners = new Set<Listener>();

/**
 * Said wherever a value of a secret has proven or opened something, so that operators see when an old one may go
 * (secrets status). Not a dependency of each of these places: they would all pass on what none of them needs.
 */
export function noteSecretUse(value: SecretValue): void {
  for (const listener of listeners) listener(value);
}

/** Every use in this process from now on. Called by entry files; returns what ends it. */
export function observeSecretUses(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
