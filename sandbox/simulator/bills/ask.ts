import { within } from '../../../src/base/within.ts';
import { type Answered, type Asked, askService } from '../core/wire-log.ts';
import type { BillGateway, StepReply } from './bill-step.ts';

/** How long networks wait for an answer. */
const TIMEOUT_MS = 6_000;

/** Answers yes for a network without a step before payment. */
export const notAsked = async (): Promise<StepReply> => ({ kind: 'yes', message: 'Not asked' });

/** Returns the service's answer to a network's message; null if none came in time. */
export async function askGateway(
  { url, timeoutMs = TIMEOUT_MS, ask = askService }: Pick<BillGateway, 'url' | 'timeoutMs' | 'ask'>,
  path: string,
  { signal, ...message }: Pick<Asked, 'headers' | 'body' | 'signal'> & { method?: Asked['method'] },
): Promise<Answered | null> {
  try {
    return await ask(`${url}${path}`, { method: 'POST', ...message, signal: within(timeoutMs, signal) });
  } catch {
    return null;
  }
}

export function silent(answer: Pick<Answered, 'status'> | null): StepReply {
  const said = answer === null ? 'did not answer' : `answered ${answer.status}`;
  return { kind: 'silent', message: `The service ${said}` };
}
