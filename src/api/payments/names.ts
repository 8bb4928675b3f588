import { setTimeout as pause } from 'node:timers/promises';
import { frozenError } from '../../accounts/freeze.ts';
import { countUse } from '../../accounts/uses.ts';
import { workAtOnce } from '../../base/at-once.ts';
import { namesMatch } from '../../domain/bank.ts';
import type { RowError } from '../../domain/batch.ts';
import type { Channel, NameResult, Party } from '../../domain/channel.ts';
import { GatewayError } from '../../domain/errors.ts';
import { say } from '../../domain/messages.ts';
import { fieldOfParty, partyOf } from '../../domain/party.ts';
import { audit } from '../../platform/db/audit.ts';
import { inTime } from '../../platform/process/promises.ts';
import type { ReadItem } from '../kit/batch-rows.ts';
import { type ApiRequest, callerOf } from '../kit/call.ts';
import type { Deps } from '../kit/gateway-call.ts';

const NAME_TIMEOUT_MS = 3_000;
/** Limits the lookups of one batch; it must be shorter than the timeout of a request. */
const BATCH_MS = 10_000;
/** It is low, because previews and payouts of other merchants use the same channels. */
const BATCH_AT_ONCE = 2;
const TURN_MS = 50;

type LookUp = { channelId: string; route: { channel: Channel }; party: Party; field: string };

/**
 * Returns null if the channel gives no name; throws `recipient_not_found`. Names are personal data, so each
 * lookup is counted and written to the audit log.
 */
export async function lookUpName(
  deps: Deps,
  request: ApiRequest,
  { channelId, route, party, field }: LookUp,
): Promise<string | null> {
  const { frozen } = callerOf(request);
  if (frozen) throw frozenError(frozen);
  await countLookUp(deps, request);
  // A preview works without a name, so nobody asks above the channel's rate limit.
  if (!route.channel.lookupName || !deps.previews.mayLookUp(channelId)) return null;
  await noteLookUp(deps, request, { channel: channelId });
  const result = await ask(route.channel, party, NAME_TIMEOUT_MS);
  if (result.kind === 'not_found') {
    throw new GatewayError('recipient_not_found', say('recipient_unknown'), {
      errors: [{ field, message: say('is_not_known_to_channel') }],
    });
  }
  return result.kind === 'found' ? result.fullName : null;
}

/**
 * Says per row whether the channel has the same name, with an error per unknown recipient. A row has neither
 * if its channel did not answer, the account's lookups are used up, or time ran out.
 */
export async function lookUpNames(
  deps: Deps,
  request: ApiRequest,
  items: readonly ReadItem[],
): Promise<{ matches: Map<number, boolean>; errors: RowError[] }> {
  const matches = new Map<number, boolean>();
  const errors: RowError[] = [];
  const named = items.filter(({ fullName, route }) => fullName !== null && route.channel.lookupName);
  if (named.length === 0) return { matches, errors };
  await noteLookUp(deps, request, { names: named.length });
  const until = performance.now() + (deps.previews.batchMs ?? BATCH_MS);
  const leftMs = () => until - performance.now();
  let isUsedUp = false;
  const askFor = async ({ position: row, channel, fullName, route, request: payout }: ReadItem) => {
    do {
      if (isUsedUp || leftMs() <= 0) return;
      await pause(TURN_MS);
    } while (leftMs() <= 0 || !deps.previews.mayLookUp(channel));
    isUsedUp ||= !(await isCounted(deps, request));
    if (isUsedUp) return;
    const result = await ask(route.channel, partyOf(payout), Math.min(NAME_TIMEOUT_MS, leftMs()));
    const field = fieldOfParty(payout.mode);
    if (result.kind === 'not_found') errors.push({ row, field, message: say('is_not_known_to_channel') });
    if (result.kind === 'found') matches.set(row, namesMatch(fullName ?? '', result.fullName));
  };
  await workAtOnce(named, askFor, BATCH_AT_ONCE);
  return { matches, errors: errors.sort((a, b) => a.row - b.row) };
}

async function isCounted(deps: Deps, request: ApiRequest): Promise<boolean> {
  try {
    await countLookUp(deps, request);
    return true;
  } catch (error) {
    if (error instanceof GatewayError && error.code === 'rate_limited') return false;
    throw error;
  }
}

function countLookUp({ database, previews }: Deps, request: ApiRequest): Promise<void> {
  const { accountId } = callerOf(request);
  const budget = { most: previews.perDay, every: 'day' } as const;
  return countUse(database, { accountId, use: 'previews', budget, now: new Date(request.receivedAt) });
}

function noteLookUp({ database }: Deps, request: ApiRequest, about: object): Promise<void> {
  const { accountId, keyId } = callerOf(request);
  const detail = { ...about, request_id: request.requestId };
  return audit(database, { actor: `api:${keyId}`, action: 'names.look_up', subject: accountId, detail });
}

async function ask(channel: Channel, party: Party, timeoutMs: number): Promise<NameResult> {
  const silent = () => ({ kind: 'unknown' }) as const;
  if (!channel.lookupName || timeoutMs <= 0) return silent();
  const asked = channel.lookupName(party, { timeoutMs: Math.ceil(timeoutMs) });
  return inTime(asked, timeoutMs, silent).catch(silent);
}
