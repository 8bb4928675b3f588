import assert from 'node:assert/strict';
import fc from 'fast-check';
import { workAtOnce } from '../../../src/base/at-once.ts';
import { type Answer, freshKey, type TestApi } from './api.ts';
import { hostileBodies } from './hostile-bodies.ts';
import { callOperation, exampleBodies, guarded, type Operation } from './operations.ts';

type Sent = {
  operation: Operation;
  raw: Buffer;
  headers: Record<string, string>;
  ms: number;
  status: number;
};

const AT_ONCE = 4;
const HONEST_COUNT = 300;
const SLOWER_AT_MOST = 10;

/**
 * Sends `count` hostile bodies to all operations that take one, after some honest requests. Fails when one is answered
 * 5xx or, measured again alone, takes longer than ten times the p99 of the honest ones.
 */
export async function runHostileBodies(
  api: TestApi,
  options: { count: number; seed: number },
): Promise<{ honestP99Ms: number; slowestMs: number; statuses: Record<number, number> }> {
  const targets = guarded.filter(({ endpoint }) => endpoint.body);
  const perTarget = Math.ceil(options.count / targets.length);
  const honestP99Ms = await honestP99(api, targets);
  const allowedMs = SLOWER_AT_MOST * honestP99Ms;
  const statuses: Record<number, number> = {};
  const slow: Sent[] = [];
  let slowestMs = 0;
  for (const [i, operation] of targets.entries()) {
    const settings = { numRuns: perTarget, seed: options.seed + i };
    const bodies = fc.sample(hostileBodies(exampleBodies(operation)), settings);
    const send = async ({ bytes, headers }: (typeof bodies)[number]) => {
      const sent = await attack(api, { operation, raw: bytes, headers });
      statuses[sent.status] = (statuses[sent.status] ?? 0) + 1;
      if (sent.ms > allowedMs) slow.push(sent);
      else slowestMs = Math.max(slowestMs, sent.ms);
    };
    await workAtOnce(bodies, send, AT_ONCE);
  }
  for (const one of slow) {
    const again = [await attack(api, one), await attack(api, one), await attack(api, one)];
    const ms = Math.min(...again.map((answer) => answer.ms));
    assert.ok(ms <= allowedMs, `${one.operation.name} took ${ms} of ${allowedMs} ms for ${shown(one.raw)}`);
    slowestMs = Math.max(slowestMs, ms);
  }
  return { honestP99Ms, slowestMs, statuses };
}

/** Of all these operations as their documentation shows them, as many at once as in the attack, and without it. */
async function honestP99(api: TestApi, targets: Operation[]): Promise<number> {
  const each = targets.flatMap((operation) =>
    Array<Operation>(Math.ceil(HONEST_COUNT / targets.length)).fill(operation),
  );
  const honest: number[] = [];
  const send = async (operation: Operation) => {
    honest.push((await timed(() => callOperation(api, operation))).ms);
  };
  await workAtOnce(each, send, AT_ONCE);
  honest.sort((a, b) => a - b);
  return honest[Math.ceil(0.99 * honest.length) - 1] ?? 0;
}

async function attack(api: TestApi, one: Pick<Sent, 'operation' | 'raw' | 'headers'>): Promise<Sent> {
  const { method, paths } = one.operation.endpoint;
  const headers = { ...freshKey(), ...one.headers };
  const path = paths[0].replace(/\{\w+\}/g, '09c97599-0ab0-5cb9-ad18-d6327c66ef03');
  const { ms, answer } = await timed(() => api.call(method, path, { raw: one.raw, headers }));
  assert.ok(answer.status < 500, `${one.operation.name}: ${answer.text} for ${shown(one.raw)}`);
  return { ...one, ms, status: answer.status };
}

async function timed(call: () => Promise<Answer>): Promise<{ ms: number; answer: Answer }> {
  const started = performance.now();
  const answer = await call();
  return { ms: performance.now() - started, answer };
}

/** Enough to send it again by hand. */
function shown(raw: Buffer): string {
  const text = raw.toString('base64');
  return text.length > 2_000 ? `${text.slice(0, 2_000)}… (${raw.length} bytes, base64)` : `${text} (base64)`;
}
