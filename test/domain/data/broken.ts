import assert from 'node:assert/strict';
import type { z } from 'zod';
import { DataError, readData } from '../../../src/domain/data/read-data.ts';

/**
 * One place of a file with another value, or without one gone. `because`: what is said of that place; `says`: the whole
 * message after the name of the file, where it names another place.
 */
type Break = readonly [at: string, because: string | { says: string }, value?: unknown];

/** The file as it is can be read; broken at one place it is refused with exactly this sentence. */
export function describeBroken(
  name: string,
  { file, schema }: { file: unknown; schema: z.ZodType },
  breaks: Break[],
): void {
  const parse = (content: unknown) => readData(name, schema, content);
  describe(name, () => {
    it('is read as it is', () => assert.doesNotThrow(() => parse(file)));

    for (const [at, because, ...value] of breaks) {
      const says = typeof because === 'string' ? `${at}: ${because}` : because.says;
      it(`is refused: ${says}`, () => {
        const copy = broken(file, partsOf(at), ...value);
        assert.throws(() => parse(copy), new DataError(`${name} is wrong at ${says}`));
      });
    }
  });
}

/** `versions[0].services["a b"]` → its names and numbers. */
function partsOf(at: string): (string | number)[] {
  return [...at.matchAll(/\["([^"]+)"\]|\[(\d+)\]|([A-Za-z_]\w*)/g)].map(([, quoted, index, name]) =>
    index === undefined ? (quoted ?? name ?? '') : Number(index),
  );
}

/** A copy of a data file in which one place is another value, or, without one, is gone. */
function broken(file: unknown, place: (string | number)[], ...value: unknown[]): unknown {
  const copy = structuredClone(file);
  let at = copy as Record<string | number, unknown>;
  for (const part of place.slice(0, -1)) {
    if (typeof at[part] !== 'object' || at[part] === null) throw new Error(`no ${place.join('.')}`);
    at = at[part] as Record<string | number, unknown>;
  }
  const last = place.at(-1) as string | number;
  if (value.length > 0) at[last] = value[0];
  else if (Array.isArray(at)) at.splice(Number(last), 1);
  else if (last in at) delete at[last];
  else throw new Error(`no ${place.join('.')}`);
  return copy;
}
