import { performance } from 'node:perf_hooks';
import type { Payable, Prompt } from '../../transactions/rows/payable.ts';

export type Found = { payable: Payable; prompt: Prompt | null };

/** Caches pages by the end of their address, and QR codes by their content. */
export type KnownPages = {
  has(token: string): boolean;
  /** Returns a page found less than a second ago, else reads it. Forgets missing pages. */
  find(token: string, read: () => Promise<Found | null>): Promise<Found | null>;
  changed(token: string): void;
  code(content: string, draw: () => Promise<string>): Promise<string>;
};

const PAGES_MAX = 5_000;
const CODES_MAX = 2_000;

export function createKnownPages(stateMs: number): KnownPages {
  const pages = new Map<string, { at: number; found: Promise<Found | null> }>();
  const codes = new Map<string, Promise<string>>();
  return {
    has: (token) => pages.has(token),
    changed: (token) => void pages.delete(token),
    async find(token, read) {
      const known = pages.get(token);
      if (known && performance.now() - known.at < stateMs) return known.found;
      const page = { at: performance.now(), found: read() };
      keep(pages, token, page, PAGES_MAX);
      const forget = () => pages.get(token) === page && pages.delete(token);
      page.found.then((found) => found === null && forget(), forget);
      return page.found;
    },
    code(content, draw) {
      const drawn = codes.get(content) ?? draw();
      keep(codes, content, drawn, CODES_MAX);
      drawn.catch(() => codes.delete(content));
      return drawn;
    },
  };
}

/** Drops the entry that was not used for the longest time. */
function keep<T>(map: Map<string, T>, name: string, value: T, most: number): void {
  map.delete(name);
  map.set(name, value);
  if (map.size > most) map.delete(map.keys().next().value ?? '');
}

/** Limits work to `places` at once. Returns null if the line is too long. */
export function createPlaces(places: number, lineMax: number) {
  const line: (() => void)[] = [];
  let free = places;
  return async <T>(work: () => Promise<T>): Promise<T | null> => {
    if (free > 0) free -= 1;
    else if (line.length >= lineMax) return null;
    else await new Promise<void>((resolve) => line.push(resolve));
    try {
      return await work();
    } finally {
      const next = line.shift();
      if (next) next();
      else free += 1;
    }
  };
}
