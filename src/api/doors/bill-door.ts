import { type BillDoor, DOOR_BYTES_MAX, type DoorCall } from '../../channels/kit/door.ts';
import type { BillConnection } from '../../channels/kit/registry.ts';
import { GatewayError } from '../../domain/errors.ts';
import type { RequestContext, Served } from '../../platform/http/app.ts';
import { requireJsonMediaType } from '../../platform/http/body.ts';
import { parseJsonObject } from '../../platform/http/json.ts';
import type { Log } from '../../platform/process/log.ts';
import { readBody } from '../../platform/process/read-body.ts';
import type { FailureCounter } from '../kit/guards.ts';
import { findSender } from './bill-senders.ts';
import { type BillServiceDeps, createBillService } from './bills.ts';
import { answerAs } from './notifications.ts';

/** Networks ask about bills and report payments here. The commit decides; signals follow. */
export function createBillDoors(
  deps: BillServiceDeps & {
    connections: readonly BillConnection[];
    failures: FailureCounter;
    now?: () => Date;
  },
): Served[] {
  const { connections, failures, now = () => new Date() } = deps;
  const billsOf = createBillService(deps);
  return doorsOf(connections).map(([{ door, ...first }, ...others]) => ({
    name: door.name,
    method: door.method,
    path: door.path,
    handle: async (context) => {
      const call = callOf(context, now);
      const address = failures.addressOf(context.req);
      const sender = findSender([{ door, ...first }, ...others], { call, address }, () =>
        failures.countFailure(address),
      );
      // A sender without proof is refused in the words of its protocol.
      const own = await sender.catch(() => ({ door }));
      const { body, ...answered } = await own.door.answer(call, billsOf(sender, context.state.log));
      const isJson = answered.contentType === undefined;
      const { contentType = 'application/json; charset=utf-8' } = answered;
      answerAs(context, { ...answered, contentType, body: isJson ? JSON.stringify(body) : String(body) });
    },
  }));
}

type OwnDoor = BillConnection & { door: BillDoor };

function doorsOf(connections: readonly BillConnection[]): [OwnDoor, ...OwnDoor[]][] {
  const paths = new Map<string, [OwnDoor, ...OwnDoor[]]>();
  for (const connection of connections)
    for (const door of connection.bills.doors) {
      const key = `${door.method} ${door.path}`;
      const there = paths.get(key);
      if (there) there.push({ ...connection, door });
      else paths.set(key, [{ ...connection, door }]);
    }
  return [...paths.values()];
}

function callOf(context: RequestContext, now: () => Date): DoorCall {
  let reading: Promise<Buffer> | undefined;
  // The request is read once, so a second call returns the same bytes.
  const bodyUpTo = (bytesMax: number) => {
    reading ??= readBody(context.req, bytesMax);
    return reading;
  };
  return {
    method: context.method,
    path: context.path,
    params: context.params,
    query: new URLSearchParams(context.querystring),
    header: (name) => context.get(name),
    json: async () => {
      requireJsonMediaType(context.req);
      return parseJsonObject(await bodyUpTo(DOOR_BYTES_MAX)).value;
    },
    body: bodyUpTo,
    now,
    faultOf: (error) => faultOf(error, context.state.log),
  };
}

function faultOf(error: unknown, log: Log): GatewayError {
  if (error instanceof GatewayError) return error;
  log.error({ err: error }, 'unexpected error at a bill door');
  return new GatewayError('internal_error', 'Something went wrong on our side');
}
