import type { Connection } from '@temporalio/client';
import { TypedSearchAttributes } from '@temporalio/common';
import { encodeSearchAttributeIndexedValueType } from '@temporalio/common/lib/search-attributes.js';
import { attributes } from '../../domain/names.ts';

const GRPC_ALREADY_EXISTS = 6;

const wanted = Object.values(attributes);

/** Flags tell the dev server of the attributes before its first workflow. */
export function searchAttributeFlags(): string[] {
  return wanted.flatMap(({ name, type }) => [
    '--search-attribute',
    `${name}=${TypedSearchAttributes.toMetadataType(type)}`,
  ]);
}

/** Registers missing attributes, and returns their names. */
export async function registerSearchAttributes(connection: Connection, namespace: string): Promise<string[]> {
  const known = await connection.operatorService.listSearchAttributes({ namespace });
  const missing = wanted.filter(({ name }) => known.customAttributes[name] === undefined);
  if (missing.length === 0) return [];
  const types = missing.map(
    ({ name, type }) => [name, encodeSearchAttributeIndexedValueType(type) ?? 0] as const,
  );
  try {
    await connection.operatorService.addSearchAttributes({
      namespace,
      searchAttributes: Object.fromEntries(types),
    });
  } catch (error) {
    if ((error as { code?: number }).code !== GRPC_ALREADY_EXISTS) throw error;
  }
  return missing.map(({ name }) => name);
}
