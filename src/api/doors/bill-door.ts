import { type BillDoor, DOOR_BYTES_MAX, type DoorCall } from '../../channels/door.ts';
import { GatewayError } from '../../domain/errors.ts';
import type { Log } from '../../process/log.ts';
import { readBody } from '../../process/read-body.ts';
import type { Door, DoorContext } from '../http/app.ts';
import { requireJsonMediaType } from '../http/body.ts';
import { parseJsonObject } from '../http/json.ts';
import { sendJson, setStatus } from '../http/middleware/envelope.ts';
import { type BillServiceDeps, createBillService } from './bills.ts';

/**
 * Where networks ask about bills and report what customers paid. The answer depends on what was committed, and on
 * nothing else: the workflow gets its signal afterwards, best effort.
 */
export function createBillDoors(
  deps: BillServiceDeps & { doors: readonly BillDoor[]; now?: () => Date },
): Door[] {
  const billsOf = createBillService(deps);
  const now = deps.now ?? (() => new Date());
  return deps.doors.map(({ name, method, path, answer }) => ({
    name,
    method,
    path,
    handle: async (context) => {
      const answered = await answer(callOf(context, now), billsOf(context, now));
      const { status, headers = {}, contentType, body, after } = answered;
      // `close` comes also where the other side left before it had its answer.
      if (after) context.res.once('close', after);
      setStatus(context, status);
      context.set(headers);
      if (contentType === undefined) return sendJson(context, JSON.stringify(body));
      context.set('content-type', contentType);
      context.body = String(body);
    },
  }));
}

function callOf(context: DoorContext, now: () => Date): DoorCall {
  let reading: Promise<Buffer> | undefined;
  // A request is read once. A second call gets the same bytes.
  const bodyUpTo = (bytesMax: number) => {
    reading ??= readBody(context.req, bytesMax);
    return reading;
  };
  return {
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
