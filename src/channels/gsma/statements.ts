import { z } from 'zod';
import type { CallOptions } from '../../domain/channel.ts';
import { readOk } from '../kit/clean-json.ts';
import { describeResult } from '../kit/http.ts';
import type { StatementSource } from '../kit/statement-source.ts';
import type { GsmaClient } from './client.ts';

const entriesSchema = z.array(z.unknown()).max(10_000);
const balanceSchema = z.object({ currentBalance: z.string().max(64).optional() });
const COUNT_HEADER = 'x-records-available-count';

/** Reads `GET …/statemententries` and `…/balance` of an account, by its `accountid`. */
export function createGsmaStatements(client: GsmaClient): StatementSource {
  const get = (theirs: string, path: string, call: CallOptions) =>
    client.send({ method: 'GET', path: `/accounts/accountid/${encodeURIComponent(theirs)}/${path}` }, call);
  return {
    format: 'gsma',
    async page({ theirs, from, to, limit, offset }, call) {
      const query = new URLSearchParams({
        fromDateTime: from.toISOString(),
        toDateTime: to.toISOString(),
        limit: String(limit),
        offset: String(offset),
      });
      const answer = await get(theirs, `statemententries?${query}`, call);
      const entries = readOk(entriesSchema, answer);
      if (entries === null || answer.kind !== 'answer')
        throw new Error(`does not tell its statement entries: ${describeResult(answer)}`);
      const counted = Number(answer.headers[COUNT_HEADER] ?? Number.NaN);
      return { entries, available: Number.isSafeInteger(counted) ? counted : null };
    },
    async balance(theirs, call) {
      const answer = await get(theirs, 'balance', call);
      // The standard lets a provider omit the call.
      if (answer.kind === 'answer' && [404, 405, 501].includes(answer.status)) return null;
      const body = readOk(balanceSchema, answer);
      if (body === null) throw new Error(`does not tell the balance: ${describeResult(answer)}`);
      return body.currentBalance ?? null;
    },
  };
}
