import { messageOf, type StoredMessage } from '../../domain/batch.ts';
import { type ErrorCode, GatewayError } from '../../domain/errors.ts';
import { say } from '../../domain/messages.ts';
import { BesideRefused, beside } from '../process/beside.ts';
import type { Table } from '../tables/table.ts';
import type { MetadataTexts } from './json.ts';

export type BigBody = { bytes: Uint8Array; media: 'json' | 'table'; rowsMax: number };
export type BigAnswer = { texts: MetadataTexts } | { table: Table } | { refused: BigRefusal };
type BigRefusal = { code: ErrorCode; message: StoredMessage; field: string | null };

export type Held = {
  /** Counts bytes that arrived. Throws `unavailable` beyond the budget. */
  grow(bytes: number): void;
  end(): void;
};

/** Limits the bytes of bodies above 64 KiB, in total and per account. A thread reads each such body. */
export type BigBodies = {
  holdFor(accountId: string): Held;
  read(body: BigBody): Promise<Exclude<BigAnswer, { refused: BigRefusal }>>;
};

/** Bodies up to this size are not counted. */
const SMALL_BYTES_MAX = 64 * 1024;
const MIB = 1024 * 1024;
/** Six of the largest batches fit in total, two per account. */
const IN_FLIGHT = { all: 32 * MIB, account: 11 * MIB };
const THREAD = { memoryMibMax: 256, msMax: 20_000 };

export function createBigBodies(most: { all: number; account: number } = IN_FLIGHT): BigBodies {
  const ofAccounts = new Map<string, number>();
  let all = 0;

  function count(accountId: string, bytes: number): void {
    const own = (ofAccounts.get(accountId) ?? 0) + bytes;
    all += bytes;
    if (own === 0) ofAccounts.delete(accountId);
    else ofAccounts.set(accountId, own);
  }

  function holdFor(accountId: string): Held {
    let size = 0;
    let counted = 0;
    return {
      grow(bytes) {
        size += bytes;
        if (size <= SMALL_BYTES_MAX) return;
        const more = size - counted;
        const own = ofAccounts.get(accountId) ?? 0;
        if (all + more > most.all || own + more > most.account)
          throw new GatewayError('unavailable', say('too_many_big_bodies'));
        count(accountId, more);
        counted = size;
      },
      end() {
        count(accountId, -counted);
        counted = 0;
      },
    };
  }

  return { holdFor, read: readBeside };
}

async function readBeside(body: BigBody): ReturnType<BigBodies['read']> {
  const thread = { file: './big-body-thread', from: import.meta.url };
  try {
    const answer = await beside<BigAnswer>(thread, body, THREAD);
    if (!('refused' in answer)) return answer;
    const { code, field, message: stored } = answer.refused;
    const message = messageOf(stored);
    throw new GatewayError(code, message, field === null ? {} : { errors: [{ field, message }] });
  } catch (error) {
    if (!(error instanceof BesideRefused)) throw error;
    throw new GatewayError('too_many_values', say('body_costs_too_much'));
  }
}
