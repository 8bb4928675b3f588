import type { NotificationDoor } from '../channels/registry.ts';
import { isWrongValue } from '../db/errors.ts';
import type { Database } from '../db/pool.ts';
import type { Channel, RawNotification } from '../domain/channel.ts';
import { GatewayError } from '../domain/errors.ts';
import { isUuid } from '../domain/ids.ts';
import { receiveNotification } from '../transactions/notifications.ts';
import type { Door, DoorContext } from './app.ts';
import { readBody } from './body.ts';
import type { Flows } from './flows.ts';

const NOTIFICATION_BYTES_MAX = 256 * 1024;

type DoorChannel = Pick<Channel, 'verifyNotification' | 'translateNotification'>;

/**
 * Where channels tell us what became of a transaction. The channel is answered only after the notification is
 * committed; the workflow is told afterwards, best effort. 204: we have it (or it is none of ours); 401: the sender
 * is not proven; 400: not of this protocol; 503: send it again.
 */
export function createDoors(deps: {
  database: Database;
  flows: Pick<Flows, 'signal' | 'deliver'>;
  byDoor: (door: NotificationDoor) => DoorChannel | undefined;
  /** whether a channel (`m-pesa`, `bank`) notifies through this door */
  serves: (door: NotificationDoor, channelId: string) => boolean;
}): Door[] {
  async function receive(door: NotificationDoor, context: DoorContext): Promise<void> {
    const channel = deps.byDoor(door);
    if (!channel) throw new GatewayError('not_found', 'This door is not in use');
    const raw = await readRaw(context);
    if (raw.transactionId !== null && !isUuid(raw.transactionId)) throw refused();
    const received = await receiveNotification(deps.database, {
      channel,
      serves: (channelId) => deps.serves(door, channelId),
      raw,
    }).catch(rethrowAsDoor);
    if (received.news && received.transactionId)
      void deps.flows.signal(received.transactionId, received.news);
    if (received.callback) void deps.flows.deliver(received.callback);
    context.state.log.setBindings({ outcome: received.outcome, transaction_id: received.transactionId });
    if (received.outcome === 'refused') throw refused();
    if (received.outcome === 'unreadable') throw unreadable();
    context.status = 204;
  }

  return [
    {
      name: 'channels/gsma',
      method: 'PUT',
      path: '/channels/gsma/:transactionId/:token',
      handle: (context) => receive('gsma', context),
    },
    {
      name: 'channels/iso20022',
      method: 'POST',
      path: '/channels/iso20022',
      handle: (context) => receive('iso20022', context),
    },
  ];
}

async function readRaw(context: DoorContext): Promise<RawNotification> {
  const headers = Object.fromEntries(
    Object.entries(context.req.headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(', ') : value,
    ]),
  );
  return {
    method: context.method,
    transactionId: context.params.transactionId?.toLowerCase() ?? null,
    token: context.params.token ?? null,
    headers,
    body: await readBody(context.req, NOTIFICATION_BYTES_MAX),
  };
}

/** A value that Postgres cannot hold came from the notification. */
function rethrowAsDoor(error: unknown): never {
  throw isWrongValue(error) ? unreadable() : error;
}

function refused(): GatewayError {
  return new GatewayError('unauthorized', 'The sender of this notification is not proven');
}

function unreadable(): GatewayError {
  return new GatewayError('invalid_json', 'This is no notification of this protocol');
}
