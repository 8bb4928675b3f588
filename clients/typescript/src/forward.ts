import { setTimeout as pause } from 'node:timers/promises';

/** The key whose callbacks are forwarded, and the address of the API. */
export type MerchantAccess = { url: string; apiKey: string };

type Listed = { event_id: string; event: string; created_at: string };
type Signed = { event_id: string; event: string; headers: Record<string, string>; body: string };

/** As long as Malipo itself waits for a receiver. */
const RECEIVER_TIMEOUT_MS = 15_000;
const API_TIMEOUT_MS = 30_000;
const POLL_MS = 1_000;
/** An event is in the log once its transaction commits, up to this long after its time. */
const OVERLAP_MS = 60_000;
const PER_PAGE = 100;
/** Of one look at the log: what happened within a minute. */
const PAGES_MAX = 100;

/** The service is not there, or in trouble: another look may be answered. */
class NoAnswer extends Error {}

/** Hands the events of one API key to a receiver that only this machine can reach. */
export function createForwarder(deps: {
  access: MerchantAccess;
  to: string;
  print(line: string): void;
  pollMs?: number;
}) {
  const { access, to, print, pollMs = POLL_MS } = deps;

  async function ask(path: string): Promise<{ status: number; date: number; body: never }> {
    const response = await fetch(`${access.url.replace(/\/+$/, '')}/api/v1/${path}`, {
      headers: { authorization: `Bearer ${access.apiKey}` },
      redirect: 'error',
      signal: AbortSignal.timeout(API_TIMEOUT_MS),
    }).catch((error) => {
      throw new NoAnswer(`The API at ${access.url} does not answer (${reasonOf(error)})`);
    });
    const body = (await response.json().catch(() => null)) as { message?: string } | null;
    const { status } = response;
    if (status >= 500 || status === 429 || body === null)
      throw new NoAnswer(`The API at ${access.url} answers ${status}`);
    if (status !== 200 && status !== 404) throw new Error(`${body.message}.`);
    return { status, date: Date.parse(response.headers.get('date') ?? ''), body: body as never };
  }

  /** Everything in the log since then, oldest first. */
  async function eventsSince(from: string): Promise<Listed[]> {
    const events: Listed[] = [];
    for (let page = 1; page <= PAGES_MAX; page += 1) {
      const query = new URLSearchParams({ from, page: String(page), per_page: String(PER_PAGE) });
      const { data }: { data: Listed[] } = (await ask(`callbacks?${query}`)).body;
      events.push(...data);
      if (data.length < PER_PAGE) break;
    }
    return events.reverse();
  }

  /** Whether the receiver took it. */
  async function handOver(eventId: string): Promise<boolean> {
    const { status, body } = await ask(`callbacks/${encodeURIComponent(eventId)}`);
    if (status === 404) {
      print(`${eventId} is not an event of this API key: not forwarded`);
      return false;
    }
    const { event, headers, body: bytes }: Signed = body;
    const answer = await fetch(to, {
      method: 'POST',
      headers,
      body: Buffer.from(bytes, 'utf8'),
      redirect: 'manual',
      signal: AbortSignal.timeout(RECEIVER_TIMEOUT_MS),
    }).then(
      async (response) => {
        await response.body?.cancel();
        return response;
      },
      (error) => reasonOf(error),
    );
    const isTaken = typeof answer !== 'string' && answer.ok;
    const said = typeof answer === 'string' ? `no answer (${answer})` : answer.status;
    print(`${event} ${eventId} → ${said}${isTaken ? '' : `; once more: --event ${eventId}`}`);
    return isTaken;
  }

  /** Until `signal` ends it. What is in the log already stays there; each new event is handed over once. */
  async function follow(signal?: AbortSignal): Promise<void> {
    const { date } = await ask('callbacks?per_page=1');
    let from = beforeOverlap(date);
    const seen = new Map<string, string>();
    for (const { event_id, created_at } of await eventsSince(from)) seen.set(event_id, created_at);
    print(`Events of this API key go to ${to}. Ctrl-C ends it.`);
    let isLost = false;
    while (!signal?.aborted) {
      try {
        for (const { event_id, created_at } of await eventsSince(from)) {
          if (seen.has(event_id)) continue;
          await handOver(event_id);
          seen.set(event_id, created_at);
        }
        isLost = false;
      } catch (error) {
        if (!(error instanceof NoAnswer)) throw error;
        if (!isLost) print(`${error.message}: looking again`);
        isLost = true;
      }
      const newest = Math.max(...[...seen.values()].map((time) => Date.parse(time)));
      if (newest > 0 && beforeOverlap(newest) > from) from = beforeOverlap(newest);
      for (const [id, time] of seen) if (Date.parse(time) < Date.parse(from)) seen.delete(id);
      await pause(pollMs, undefined, signal ? { signal } : {}).catch(() => {});
    }
  }

  return { handOver, follow };
}

function beforeOverlap(milliseconds: number): string {
  return new Date(milliseconds - OVERLAP_MS).toISOString();
}

/** Node says what happened in the error's cause only. */
function reasonOf(error: unknown): string {
  const { name, message, cause } = error as Error & { cause?: { code?: string } };
  if (name === 'TimeoutError') return 'in time';
  return cause?.code ?? message;
}
