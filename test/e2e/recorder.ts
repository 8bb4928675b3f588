import { createHash } from 'node:crypto';

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

/** These name something by chance. In the examples the place where each stands first gives it its name. */
const chances: [RegExp, (made: Made) => string][] = [
  [/(?:\b|(?<=%2F))[0-9a-f]{8}-[0-9a-f]{4}-\d[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\b/g, uuidOf],
  [/\bpr_[0-9A-Za-z]{12}\b/g, (made) => `pr_${made('hex', 12)}`],
  [/\bst_[0-9a-f]{16}\b/g, (made) => `st_${made('hex', 16)}`],
  [/\bsi_[0-9a-f]{12}\b/g, (made) => `si_${made('hex', 12)}`],
  [/\b(?:ln|en)_\d+\b/g, (made) => `ln_${4_000 + (Number.parseInt(made('hex', 3), 16) % 1_000)}`],
  [/\bevt_[0-9a-f]{32}\b/g, (made) => `evt_${made('hex', 32)}`],
  [/\b[0-9a-f]{64}\b/g, (made) => made('hex', 64)],
  [/\bprv_[a-z0-9]{16}\b/g, (made) => `prv_${made('hex', 16)}`],
  [/(?<=\bP[OY])[0-9A-HJKMNP-TV-Z]{16}\b/g, (made) => made('hex', 16).toUpperCase()],
  [/(?<=\/(?:r|pay)\/)[\w-]{22}(?![\w-])/g, (made) => made('base64url', 22)],
  [/(?<=\/l\/)[a-z0-9]{8}\b/g, (made) => made('hex', 8)],
  // A receipt of the simulator's.
  [/\b(?:BK|X)?[MN][0-9A-Z]{7}[0-9A-F]{8}\b/g, (made) => `CK${made('hex', 8).toUpperCase()}`],
];
type Made = (encoding: 'hex' | 'base64url', length: number) => string;

function uuidOf(made: Made): string {
  const digits = made('hex', 30);
  const [a, b, c] = [digits.slice(0, 8), digits.slice(8, 12), digits.slice(12, 15)];
  return `${a}-${b}-5${c}-9${digits.slice(15, 18)}-${digits.slice(18)}`;
}

/** These members say when and where it was recorded, or are too long to be read. */
const fixed: Record<string, Json> = {
  request_id: 'req_01jd4zr7m2',
  duration_ms: 35,
  'webhook-timestamp': '1795162560',
  'Service-Signature': 'ebf0b55c7f288dfec5655ff9d4e2d860b5c70e853a88cb30b403033e9dc9e6e6',
  'webhook-signature': 'v1,SgE/E1dg1Gg4aSSik4plupce3cpacR71PZrXnwNW2ko=',
  // The first bytes of a PNG.
  image: 'data:image/png;base64,iVBORw0KGgo=',
};
/** Of the data files, the same every day. */
const DATED = 'effective_from';
/** A longer list shows its first two. */
const LIST_MAX = 10;

type Recorded = { path: string[]; scene: number; value: Json; own: Record<string, Json> };

/** Takes what a walk saw, and writes what every other walk would write: nothing by chance, nothing by the clock. */
export function createRecorder(texts: [from: string, to: string][]) {
  const recorded: Recorded[] = [];
  let scene = 0;
  return {
    /** What is recorded from now on happens later. */
    scene: () => {
      scene += 1;
    },
    /** `own`: members that are not to be as they were seen. */
    record: (path: string[], value: Json, own: Record<string, Json> = {}) => {
      recorded.push({ path, scene, value, own });
    },
    written(): Json {
      const clock = clockOf(recorded);
      const names = new Map<string, string>();
      const root: { [name: string]: Json } = {};
      for (const { path, value, own } of recorded) {
        const named = nameBy(path.join(' '), names);
        const change = (text: string) => days(named(clock(withTexts(text, texts))));
        put(root, path, rewritten(value, { change, fixed: { ...fixed, ...own } }));
      }
      return root;
    },
  };
}

const withTexts = (text: string, texts: [string, string][]) =>
  texts.reduce((changed, [from, to]) => changed.replaceAll(from, to), text);
const days = (text: string) => text.replace(/\b20\d\d-\d\d-\d\d\b(?!T)/g, '2026-11-20');

function put(root: { [name: string]: Json }, [name = '', ...path]: string[], value: Json): void {
  if (path.length === 0) root[name] = value;
  else {
    root[name] ??= {};
    put(root[name] as { [name: string]: Json }, path, value);
  }
}

type How = { change(text: string): string; fixed: Record<string, Json> };

function rewritten(value: Json, how: How, name = ''): Json {
  if (value !== null && Object.hasOwn(how.fixed, name)) return how.fixed[name] as Json;
  if (Array.isArray(value)) {
    const shown = value.length > LIST_MAX ? value.slice(0, 2) : value;
    return shown.map((item) => rewritten(item, how));
  }
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value);
    return Object.fromEntries(members.map(([key, inner]) => [key, rewritten(inner, how, key)]));
  }
  return typeof value === 'string' && name !== DATED ? how.change(value) : value;
}

function nameBy(place: string, names: Map<string, string>): (text: string) => string {
  let count = 0;
  const named = (found: string, make: (made: Made) => string): string => {
    const known = names.get(found);
    if (known !== undefined) return known;
    count += 1;
    const hash = createHash('sha512').update(`${place} ${count}`);
    const name = make((encoding, length) => hash.digest(encoding).slice(0, length));
    names.set(found, name).set(name, name);
    return name;
  };
  return (text) =>
    chances.reduce(
      (changed, [pattern, make]) => changed.replace(pattern, (found) => named(found, make)),
      text,
    );
}

const TIME = /(20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d)((?:\.\d+)?)(Z|\+03:00)/g;
const SECOND = 1_000_000;
const HOUR = 3_600 * SECOND;
const DAY = 24 * HOUR;
const EAST = 3 * HOUR;
/** All times in the examples are of this day or follow from it. In µs since 1970, as every time here. */
const TODAY = Date.parse('2026-11-20T00:00:00+03:00') * 1_000;
const OPENING = Date.parse('2026-11-20T08:15:30Z') * 1_000 + 123_456;
const SCENE = 600 * SECOND;
/** What follows sooner follows in the examples after a second and some, however busy the machine was. */
const SOON = 45 * SECOND;
const MINUTE = 60 * SECOND;

const instantOf = (seconds: string, fraction: string, zone: string): number =>
  Date.parse(seconds + zone) * 1_000 + Number(fraction.slice(1).padEnd(6, '0'));

/** Gives each moment one of the examples: in the same order, as far apart, but for what is decided by the machine. */
function clockOf(recorded: Recorded[]): (text: string) => string {
  const moments = new Map<number, number>();
  let today: number | undefined;
  for (const [index, scene] of scenesOf(recorded).entries()) {
    const instants = new Set<number>();
    const change = (text: string) => {
      for (const [, seconds = '', fraction = '', zone = ''] of text.matchAll(TIME))
        instants.add(instantOf(seconds, fraction, zone));
      return text;
    };
    for (const { value, own } of scene) rewritten(value, { change, fixed: { ...fixed, ...own } });
    const fresh = [...instants].filter((instant) => instant % HOUR !== 0 && !moments.has(instant));
    let [last, shown] = [-Infinity, OPENING + index * SCENE];
    for (const instant of fresh.sort((a, b) => a - b)) {
      today ??= Math.floor((instant + EAST) / DAY) * DAY - EAST;
      const gap = instant - last;
      if (last !== -Infinity) shown += gap < SOON ? 1_234_567 : Math.round(gap / MINUTE) * MINUTE;
      last = instant;
      moments.set(instant, shown);
    }
  }
  /** A whole hour is no moment that came by itself: it is as many days from today as it was. */
  const shownOf = (instant: number) => moments.get(instant) ?? TODAY + instant - (today ?? 0);
  return (text) =>
    text.replace(TIME, (_found, seconds: string, fraction: string, zone: string) =>
      written(shownOf(instantOf(seconds, fraction, zone)), fraction.length, zone),
    );
}

function scenesOf(recorded: Recorded[]): Recorded[][] {
  const scenes: Recorded[][] = [];
  for (const one of recorded) {
    scenes[one.scene] ??= [];
    scenes[one.scene]?.push(one);
  }
  return Array.from(scenes, (scene) => scene ?? []);
}

function written(instant: number, digits: number, zone: string): string {
  const local = instant + (zone === 'Z' ? 0 : EAST);
  const fraction = String(local % SECOND).padStart(6, '0');
  const seconds = new Date(Math.floor(local / SECOND) * 1_000).toISOString().slice(0, 19);
  return `${seconds}${digits === 0 ? '' : `.${fraction.slice(0, digits - 1)}`}${zone}`;
}
