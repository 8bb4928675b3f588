import { DOOR_BYTES_MAX } from '../../channels/kit/door.ts';
import type { DoorText } from '../../channels/kit/protocol.ts';
import type { DoorConnections } from '../../channels/kit/registry.ts';
import type { RawNotification } from '../../domain/channel.ts';
import { GatewayError } from '../../domain/errors.ts';
import { isUuid } from '../../domain/ids.ts';
import { isWrongValue } from '../../platform/db/errors.ts';
import type { Database } from '../../platform/db/pool.ts';
import type { RequestContext, Served } from '../../platform/http/app.ts';
import { setStatus, unavailable } from '../../platform/http/envelope.ts';
import { noteFacts } from '../../platform/process/log.ts';
import { readBody } from '../../platform/process/read-body.ts';
import { FenceClosed } from '../../transactions/care/fence.ts';
import {
  type Incoming,
  type Received,
  receiveNotification,
} from '../../transactions/ending/notifications.ts';
import type { Flows } from '../kit/flows.ts';
import type { FailureCounter } from '../kit/guards.ts';

/**
 * Channels post results to these doors. A door commits the notification, answers, and signals the workflow,
 * best effort. A protocol may define its own answers. The others are: 204 stored, or not ours; 401 no proof;
 * 400 not of this protocol; 503 send again. Unproven messages that name no transaction of ours count like
 * wrong API keys.
 */
export function createDoors(deps: {
  database: Database;
  flows: Pick<Flows, 'signal' | 'completeSend' | 'deliver'>;
  doors: readonly DoorConnections[];
  failures: FailureCounter;
}): Served[] {
  const { failures } = deps;

  async function receive({ door, connections }: DoorConnections, context: RequestContext): Promise<void> {
    const address = failures.addressOf(context.req);
    const raw = await readRaw(context);
    const admitStranger = async () => {
      if (failures.isLimited(address)) await failures.countFailure(address);
    };
    const admitted = connections.filter(({ allows }) => allows(address));
    const received = await take({ connections: admitted, raw, admitStranger });
    if (received.connection === null && received.outcome !== 'noted') await failures.countFailure(address);
    for (const one of [...(received.also ?? []), received]) {
      notifyFlow(one);
      if (one.callback) void deps.flows.deliver(one.callback);
      noteFacts(context.state.log, { outcome: one.outcome, transaction_id: one.transactionId });
    }
    const { outcome } = received;
    const own = connections.find(({ id }) => id === received.connection)?.door ?? door;
    if (own.answer) return answerAs(context, own.answer(outcome, raw));
    if (outcome === 'refused')
      throw new GatewayError('unauthorized', 'The sender of this notification is not proven');
    if (outcome === 'unreadable')
      throw new GatewayError('invalid_json', 'This is no notification of this protocol');
    context.status = 204;
  }

  function notifyFlow({ transactionId, news, send = null }: Received): void {
    if (transactionId === null || news === null) return;
    const isAwaited = news === 'stored' && send !== null;
    void (isAwaited ? deps.flows.completeSend(transactionId, send) : deps.flows.signal(transactionId, news));
  }

  async function take(incoming: Incoming): Promise<Received> {
    const { transactionId } = incoming.raw;
    if (transactionId !== null && !isUuid(transactionId)) return { ...NOTHING, outcome: 'refused' };
    return receiveNotification(deps.database, incoming).catch((error) => {
      if (isWrongValue(error)) return { ...NOTHING, outcome: 'unreadable' };
      if (error instanceof FenceClosed) throw unavailable();
      throw error;
    });
  }

  return deps.doors.map((one) => ({
    name: one.door.name,
    method: one.door.method,
    path: one.door.path,
    handle: (context) => receive(one, context),
  }));
}

const NOTHING = { connection: null, transactionId: null, news: null };

export function answerAs(
  context: RequestContext,
  { status, headers = {}, contentType, body }: DoorText,
): void {
  setStatus(context, status);
  context.set(headers);
  if (contentType !== undefined) context.set('content-type', contentType);
  context.body = body;
}

async function readRaw(context: RequestContext): Promise<RawNotification> {
  const headers = Object.entries(context.req.headers).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.join(', ') : value,
  ]);
  return {
    method: context.method,
    transactionId: context.params.transactionId?.toLowerCase() ?? null,
    token: context.params.token ?? null,
    headers: Object.fromEntries(headers),
    body: await readBody(context.req, DOOR_BYTES_MAX),
  };
}
