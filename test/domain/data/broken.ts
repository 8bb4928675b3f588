import assert from 'node:assert/strict';
import { DataError } from '../../../src/domain/data/read-data.ts';

/** One place of a file with another value, or without one gone; `says` is the message after the name of the file. */
export type Break = { place: (string | number)[]; value?: unknown; says: string };

/** The file as it is can be read; broken at one place it is refused with exactly this sentence. */
export function describeBroken(
  name: string,
  { file, parse }: { file: unknown; parse: (content: unknown) => unknown },
  breaks: Break[],
): void {
  describe(name, () => {
    it('is read as it is', () => {
      assert.doesNotThrow(() => parse(file));
    });

    for (const { place, says, ...rest } of breaks)
      it(`is refused: ${says}`, () => {
        const copy = broken(file, place, ...('value' in rest ? [rest.value] : []));
        assert.throws(() => parse(copy), new DataError(`${name} is wrong at ${says}`));
      });
  });
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
