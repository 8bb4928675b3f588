import type { Context as KoaContext } from 'koa';
import { requireJsonMediaType } from '../api/http/body.ts';
import { acceptFields, type Problem, pickKnown, readFields } from '../api/http/fields.ts';
import { parseJsonObject } from '../api/http/json.ts';
import type { ClientAddress } from '../api/http/middleware/client-address.ts';
import { type RequestState, sendJson } from '../api/http/middleware/envelope.ts';
import type { RateLimits } from '../api/http/middleware/rate-limits.ts';
import { toJsonText } from '../base/json-text.ts';
import { audit, type OperatorActor } from '../db/audit.ts';
import type { Database } from '../db/pool.ts';
import { GatewayError } from '../domain/errors.ts';
import { type Caller, mayAct } from '../operators/people/roles.ts';
import { readBody } from '../process/read-body.ts';
import type { Call, Deps } from './call.ts';

const BODY_BYTES_MAX = 64 * 1024;

export type Guards = {
  deps: Deps;
  addressOf: ClientAddress;
  countFailure: RateLimits['countFailure'];
};

export type CallContext = KoaContext & { state: RequestState; params: Record<string, string> };

/**
 * The order of checks of every call: token, role, media type and size, JSON, fields. Whatever comes of it, the call is in
 * the audit log before its answer leaves, with what was read; a change is there as well, written in its own transaction.
 */
export async function serve(context: CallContext, name: string, call: Call, guards: Guards): Promise<void> {
  const { deps } = guards;
  const caller = await admit(context, guards);
  const { requestId } = context.state;
  const actor = { operator: caller.name, address: guards.addressOf(context.req), requestId };
  // Postgres stores no NUL: with this nothing is found, and the call still has its line.
  const id = (context.params.id ?? '').replaceAll('\0', '\ufffd');
  const read = new Set<string>();
  const note = (outcome: string) =>
    auditCall(deps.database, { actor, name, subject: id, outcome, read: [...read] });
  let answer: unknown;
  try {
    requireRole(caller, call);
    const input = await readInput(context, call);
    const noteRead = (...subjects: string[]) => {
      for (const subject of subjects) read.add(subject);
    };
    answer = await call.handle(input as never, { deps, caller, actor, id, noteRead });
  } catch (error) {
    const outcome = error instanceof GatewayError ? error.code : 'internal_error';
    // The caller gets the original error, even when the audit log cannot be written.
    await note(outcome).catch((err) => context.state.log.error({ err }, 'a call is not in the audit log'));
    throw error;
  }
  await note('done');
  context.status = 200;
  sendJson(context, toJsonText(answer));
}

/** Missing, malformed, unknown, expired, revoked, or of a disabled operator: all alike. */
async function admit(context: CallContext, { deps, addressOf, countFailure }: Guards): Promise<Caller> {
  const header = context.req.headers.authorization;
  const token = /^Bearer +(\S+)$/i.exec(header ?? '')?.[1];
  const address = addressOf(context.req);
  context.state.address = address;
  const caller = token ? await deps.operators.authenticate(token) : null;
  if (caller) {
    context.state.keyId = caller.tokenId;
    return caller;
  }
  if (header) await countFailure(address);
  throw new GatewayError('unauthorized', 'Send a valid operator token: Authorization: Bearer <token>');
}

function requireRole(caller: Caller, { roles }: Call): void {
  if (mayAct(caller, roles)) return;
  throw new GatewayError('forbidden', `This needs the role ${roles.join(' or ')}`);
}

async function readInput(context: CallContext, call: Call): Promise<Record<string, unknown>> {
  const query = [...new URLSearchParams(context.querystring)];
  const body = call.body ? await readJson(context) : {};
  const shape = { ...call.query, ...call.body };
  const known = pickKnown(call.body ?? {}, body);
  const asked = pickKnown(call.query ?? {}, Object.fromEntries(query));
  const { values, problems } = readFields(shape, { ...asked.known, ...known.known });
  // A member that is misspelt must not be left out silently of what moves money.
  const unknown: Problem[] = [...asked.ignored, ...known.ignored].map((field) => ({
    field,
    message: 'is not known here',
  }));
  return acceptFields({ values, problems: [...unknown, ...problems] });
}

async function readJson(context: CallContext): Promise<Record<string, unknown>> {
  requireJsonMediaType(context.req);
  return parseJsonObject(await readBody(context.req, BODY_BYTES_MAX)).value;
}

async function auditCall(
  database: Database,
  called: { actor: OperatorActor; name: string; subject: string; outcome: string; read: string[] },
): Promise<void> {
  const { actor, name, subject, outcome, read } = called;
  const detail = { outcome, ...(read.length === 0 ? {} : { read }) };
  await audit(database, { actor, action: `call.${name}`, subject, detail });
}
