import type { Json } from './openapi-schema.ts';

/**
 * Adds missing descriptions to fields. `take` gets a field's possible names, longest first:
 * `PaymentReceivedEvent.amount.fee`, `amount.fee`, `fee`.
 */
export function describeFields(
  components: Record<string, Json>,
  take: (names: string[]) => string | undefined,
): void {
  function visit(schema: unknown, path: string[]): void {
    if (typeof schema !== 'object' || schema === null) return;
    const { properties, items, anyOf } = schema as Record<string, unknown>;
    for (const [name, property] of Object.entries((properties ?? {}) as Record<string, Json>)) {
      const at = [...path, name];
      property.description ??= take(at.map((_, from) => at.slice(from).join('.')));
      visit(property, at);
    }
    visit(items, path);
    if (Array.isArray(anyOf)) for (const choice of anyOf) visit(choice, path);
  }
  for (const [name, schema] of Object.entries(components)) visit(schema, [name]);
}
