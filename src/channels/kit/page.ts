import type { IncomingHttpHeaders } from 'node:http';
import type { NotSent, Sent } from '../../domain/channel.ts';

/** Marks distinguish a connection's answers from pages of other servers. */
export type Pages = {
  /** members, elements or headers; every answer of the protocol has one of them */
  marks: readonly string[];
  /** `front`: the network has confirmed that refusals come before its processing */
  gate?: 'front' | undefined;
};

type Answer = { status: number; headers: IncomingHttpHeaders; body: Buffer };
export type Page = { page?: number; refused?: 'page' | 'login' };

/** These pages are a proxy's, or ask for a certificate: the network has not seen the request. */
const PROOFS: readonly { status: number; says?: RegExp }[] = [
  { status: 400, says: /SSL certificate (error|was sent)|certificate error/i },
  { status: 403, says: /403\.(7|16)\b/ },
  { status: 407 },
  { status: 495 },
  { status: 496 },
];

/** Most gateways with these statuses processed nothing, but some send one after their own time-out. */
const TURNED_AWAY = [401, 403, 429];

const PAGE_BYTES = 64 * 1024;

/**
 * Judges a web page that came instead of an answer. After a page in PROOFS nothing was sent. After
 * TURNED_AWAY or a redirect, a push was not sent (at worst the prompt rings twice), a payout only if `gate`
 * is `front`; else it is unknown. A page with our reference is unknown. The protocol reads all other pages.
 * `sent`: undefined for enquiries and logins.
 */
export function readPage<A extends Answer>(
  answer: A,
  sent: Sent | undefined,
  { marks, gate }: Pages,
): A | (NotSent & Page) | ({ kind: 'broken'; detail: string } & Page) {
  const { status } = answer;
  const text = answer.body.toString('utf8', 0, PAGE_BYTES);
  const isProof = PROOFS.some((one) => one.status === status && (one.says?.test(text) ?? true));
  const isTurnedAway = TURNED_AWAY.includes(status) || (status >= 300 && status < 400);
  if ((!isProof && !isTurnedAway) || isOwn(answer.headers, text, { marks })) return answer;
  const page = {
    detail: `a page instead of an answer: HTTP ${status}`,
    page: status,
    refused: 'page' as const,
  };
  if (!sent || text.toUpperCase().includes(sent.reference.toUpperCase())) return { kind: 'broken', ...page };
  const isNotSent = isProof || sent.direction === 'collection' || gate === 'front';
  return { kind: isNotSent ? 'not_sent' : 'broken', ...page };
}

function isOwn(headers: IncomingHttpHeaders, text: string, { marks }: Pick<Pages, 'marks'>): boolean {
  const members = membersOf(text);
  if (members !== null) return marks.some((mark) => members.includes(mark));
  return marks.some((mark) => mark in headers || new RegExp(`<(?:\\w{1,32}:)?${mark}[\\s/>]`).test(text));
}

/** Reads the members of a JSON object, or of the first in a list; null if it is no JSON. */
function membersOf(text: string): string[] | null {
  try {
    const json: unknown = JSON.parse(text);
    const [first] = Array.isArray(json) ? json : [json];
    return Object.keys(Object(first));
  } catch {
    return null;
  }
}
