import { candidates, type Mistake, type Signed } from './signature-mistakes.ts';

export type Question = {
  /** the bytes that arrived */
  body: Buffer;
  /** names in lower case */
  headers: Record<string, string>;
  passphrase: string;
  /** earlier passphrases, and others that it might have been */
  otherPassphrases?: readonly string[];
  /** what the receiver's own code computed */
  computed?: string | undefined;
  /** milliseconds since 1970 */
  nowMs: number;
  toleranceSeconds?: number;
};

export type Explanation = {
  /** whether every signature that is there matches, and the time is right */
  ok: boolean;
  /** sentences for the person who asked */
  lines: string[];
};

const TOLERANCE_SECONDS = 300;

/** Why a callback's signatures do or do not match: compares them with what comes out of the usual mistakes. */
export function explainSignature(question: Question): Explanation {
  const { headers, computed } = question;
  const findings = [
    aboutId(question),
    aboutHeader('service', headers['service-signature'], question),
    aboutHeader('standard', headers['webhook-signature'], question),
    aboutTime(question),
    computed === undefined ? null : aboutComputed(computed.trim(), question),
  ].filter((finding) => finding !== null);
  return { ok: findings.every(({ ok }) => ok), lines: findings.flatMap(({ lines }) => lines) };
}

type Kind = 'service' | 'standard';
const NAMES: Record<Kind, string> = { service: 'Service-Signature', standard: 'webhook-signature' };

function signedBy(question: Question, passphrase: string): Signed {
  const { body, headers } = question;
  return {
    body,
    id: headers['webhook-id'] ?? '',
    timestamp: headers['webhook-timestamp'] ?? '',
    passphrase,
  };
}

function aboutId({ body, headers }: Question): Explanation | null {
  const inBody = /"event_id":\s*"([^"]*)"/.exec(body.toString('utf8'))?.[1];
  const inHeader = headers['webhook-id'];
  if (inHeader === undefined || inBody === undefined || inBody === inHeader) return null;
  return {
    ok: false,
    lines: [
      `The headers are those of another callback: webhook-id is ${inHeader}, the body's event_id ${inBody}.`,
    ],
  };
}

/** A signature that arrived is ours: what it fits shows what differs here from what was sent. */
function aboutHeader(kind: Kind, value: string | undefined, question: Question): Explanation {
  const name = NAMES[kind];
  if (value === undefined) {
    const line = `${name} is missing: no passphrase was set when it was sent, or something dropped the header.`;
    return { ok: false, lines: [line] };
  }
  const given = kind === 'service' ? [value.trim()] : value.trim().split(/\s+/).map(withoutVersion);
  const { passphrase, otherPassphrases = [] } = question;
  const [mine, ...others] = [passphrase, ...otherPassphrases].map((one) => ({
    found: fitting(kind, given, signedBy(question, one)),
  }));
  if (mine?.found?.length === 0) return { ok: true, lines: [`${name} matches.`] };
  const other = others.find(({ found }) => found?.length === 0);
  if (other) {
    const line = `${name} does not match this passphrase, but another one that you gave: it was signed with that one.`;
    return { ok: false, lines: [line, ...aboutRotation(kind)] };
  }
  const mistakes = mine?.found ?? others.find(({ found }) => found !== null)?.found;
  if (mistakes) return { ok: false, lines: [`${name} does not match. It fits ${described(mistakes)}`] };
  return {
    ok: false,
    lines: [
      `${name} does not match, and no usual mistake explains it: the passphrase is another one, or the body is not what was sent.`,
      ...aboutRotation(kind),
    ],
  };
}

function aboutRotation(kind: Kind): string[] {
  if (kind === 'standard') return [];
  return [
    'After a change Service-Signature is made with the new passphrase at once; webhook-signature fits both for 48 hours.',
  ];
}

function aboutTime({ headers, nowMs, toleranceSeconds = TOLERANCE_SECONDS }: Question): Explanation {
  const text = headers['webhook-timestamp'];
  if (text === undefined || !/^\d{1,15}$/.test(text)) {
    const line =
      text === undefined ? 'webhook-timestamp is missing.' : `webhook-timestamp is no number: ${text}.`;
    return { ok: false, lines: [line] };
  }
  const ageSeconds = Math.round(nowMs / 1000 - Number(text));
  if (Math.abs(ageSeconds) <= toleranceSeconds) return { ok: true, lines: ['webhook-timestamp is recent.'] };
  const line =
    ageSeconds > 0
      ? `webhook-timestamp is ${ageSeconds} s old: a check that allows ${toleranceSeconds} s refuses it. Each attempt has a new one.`
      : `webhook-timestamp is ${-ageSeconds} s in the future: is the clock right? It counts seconds since 1970.`;
  return { ok: false, lines: [line] };
}

/** The signature that the receiver's code computed from the same input shows what that code does. */
function aboutComputed(value: string, question: Question): Explanation {
  const { passphrase } = question;
  const bare = withoutVersion(value);
  const found = (['service', 'standard'] as const).flatMap((kind) => {
    const mistakes = fitting(kind, [bare], signedBy(question, passphrase));
    return mistakes === null ? [] : [{ kind, mistakes }];
  });
  const best = found.sort((a, b) => a.mistakes.length - b.mistakes.length)[0];
  if (!best) {
    const line = 'What your code computed comes out of no usual mistake with this body and this passphrase.';
    return { ok: false, lines: [line] };
  }
  const name = NAMES[best.kind];
  if (best.mistakes.length === 0)
    return {
      ok: true,
      lines: [`What your code computed is the right ${name} for this body and this passphrase.`],
    };
  return {
    ok: false,
    lines: [`What your code computed is not ${name}: it is made of ${described(best.mistakes)}`],
  };
}

/** The fewest mistakes with which one of these signatures comes out; null: not with the usual ones. */
function fitting(kind: Kind, given: readonly string[], signed: Signed): Mistake[] | null {
  return candidates(kind, signed).find(({ signature }) => given.includes(signature))?.mistakes ?? null;
}

function withoutVersion(value: string): string {
  return value.replace(/^v1,/, '');
}

function described(mistakes: readonly Mistake[]): string {
  const whats = mistakes.map(({ what }) => what).join(', ');
  return [`${whats}.`, ...new Set(mistakes.map(({ advice }) => advice))].join(' ');
}
