import { GatewayError } from '../../domain/errors.ts';
import { audit, type OperatorActor } from '../../platform/db/audit.ts';
import type { Database } from '../../platform/db/pool.ts';
import type { RequestContext } from '../../platform/http/app.ts';
import { readJson } from '../../platform/http/body.ts';
import type { ClientAddress } from '../../platform/http/client-address.ts';
import { sendAnswer } from '../../platform/http/envelope.ts';
import { acceptFields, type Problem, pickKnown, readFields } from '../../platform/http/fields.ts';
import type { RateLimits } from '../../platform/http/rate-limits.ts';
import type { Log } from '../../platform/process/log.ts';
import type { Upload, Uploads } from '../../platform/process/uploads.ts';
import { type Caller, mayAct } from '../people/roles.ts';
import type { Call, Deps } from './call.ts';

export type Guards = {
  deps: Deps;
  addressOf: ClientAddress;
  countFailure: RateLimits['countFailure'];
  uploads: Uploads;
};

/** Checks token, role, media type and size, JSON, fields, in this order. */
export async function serve(
  context: RequestContext,
  name: string,
  call: Call,
  guards: Guards,
): Promise<void> {
  const caller = await admit(context, guards);
  const { requestId, log } = context.state;
  const by = { caller, address: guards.addressOf(context.req), requestId, log };
  let file = null as Upload | null;
  const read = async () => {
    if (call.bytesMax !== undefined) file = await guards.uploads.receive(context.req, call.bytesMax);
    const query = Object.fromEntries(new URLSearchParams(context.querystring));
    return { query, body: call.body ? (await readJson(context.req)).value : {}, file };
  };
  try {
    const answer = await perform(guards.deps, { name, call, by, id: context.params.id ?? '', read });
    sendAnswer(context, answer);
  } finally {
    await file?.end();
  }
}

export type CalledBy = { caller: Caller; address: string; requestId: string; log: Log };

/** Writes the call, and what it read, to the audit log before the answer is sent. */
export async function perform(
  deps: Deps,
  asked: {
    name: string;
    call: Call;
    by: CalledBy;
    id: string;
    read(): Promise<{ query: Record<string, unknown>; body: Record<string, unknown>; file: Upload | null }>;
  },
): Promise<unknown> {
  const { name, call, by } = asked;
  const { caller, log, ...from } = by;
  const actor = { operator: caller.name, ...from };
  // Postgres cannot store NUL. The replacement finds nothing, and the call is still audited.
  const id = asked.id.replaceAll('\0', '\ufffd');
  const read = new Set<string>();
  const note = (outcome: string) =>
    auditCall(deps.database, { actor, name, subject: id, outcome, read: [...read] });
  let answer: unknown;
  try {
    requireRole(caller, call);
    const { file, ...fields } = await asked.read();
    const input = readInput(call, fields);
    const noteRead = (...subjects: string[]) => {
      for (const subject of subjects) read.add(subject);
    };
    answer = await call.handle(input as never, { deps, caller, actor, id, file, noteRead });
  } catch (error) {
    const outcome = error instanceof GatewayError ? error.code : 'internal_error';
    // The caller gets the original error, even if the audit fails.
    await note(outcome).catch((err) => log.error({ err }, 'a call is not in the audit log'));
    throw error;
  }
  await note('done');
  return answer;
}

/**
 * Gives one answer if the token is missing, malformed, unknown, expired or revoked, or its owner disabled.
 */
async function admit(context: RequestContext, { deps, addressOf, countFailure }: Guards): Promise<Caller> {
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

function readInput(
  call: Call,
  given: { query: Record<string, unknown>; body: Record<string, unknown> },
): Record<string, unknown> {
  const shape = { ...call.query, ...call.body };
  const known = pickKnown(call.body ?? {}, given.body);
  const asked = pickKnown(call.query ?? {}, given.query);
  const { values, problems } = readFields(shape, { ...asked.known, ...known.known });
  // A misspelt member must not be ignored: money could move the wrong way.
  const unknown: Problem[] = [...asked.ignored, ...known.ignored].map((field) => ({
    field,
    message: 'is an unknown field',
  }));
  return acceptFields({ values, problems: [...unknown, ...problems] });
}

async function auditCall(
  database: Database,
  called: { actor: OperatorActor; name: string; subject: string; outcome: string; read: string[] },
): Promise<void> {
  const { actor, name, subject, outcome, read } = called;
  const detail = { outcome, ...(read.length === 0 ? {} : { read }) };
  await audit(database, { actor, action: `call.${name}`, subject, detail });
}
