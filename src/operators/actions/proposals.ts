import { newKeyId } from '../../accounts/key-format.ts';
import { canonicalJson } from '../../base/canonical-json.ts';
import { maskNumber } from '../../base/redact.ts';
import { conflict, GatewayError } from '../../domain/errors.ts';
import { audit, type OperatorActor } from '../../platform/db/audit.ts';
import { type Listed, type Page, readPage } from '../../platform/db/listing.ts';
import type { Database, Queryable, RowOf } from '../../platform/db/pool.ts';
import { macOfRow, momentOf, proves } from '../../platform/db/proofs.ts';
import { inTransaction } from '../../platform/db/transaction.ts';
import { insert, NOW, update } from '../../platform/db/write.ts';
import { hashOfProposal } from '../../transactions/care/agreed.ts';
import { type Caller, mayAct, READS_PEOPLE, type Role } from '../people/roles.ts';
import type { ProposalState } from '../people/states.ts';
import {
  type Action,
  type Actions,
  type Approval,
  askersOf,
  bindSeen,
  type Executed,
  NeedsAnother,
  prepare,
  readPayload,
} from './actions.ts';
import type { Described, Fact } from './facts.ts';

const PROPOSAL_MS = 24 * 3_600_000;
/** The limit is per operator: a script's mistake does not block others. */
const OPEN_MAX = 200;

export type Proposal = {
  id: string;
  action: string;
  summary: string;
  facts: Fact[];
  /** for the audit log: ids of transactions and items whose personal data it shows */
  people: string[];
  /** JSON text that the hash covers; people are masked for some readers */
  payload: string;
  payloadHash: string;
  reason: string;
  state: ProposalState;
  proposedBy: string;
  proposedAt: string;
  expiresAt: string;
  decidedBy: string | null;
  decidedAt: string | null;
  outcome: string | null;
};

/** The token proves `caller`; the audit log names `actor`. */
export type By = { caller: Caller; actor: OperatorActor };

export type Proposals = ReturnType<typeof createProposals>;

type Deps = {
  database: Database;
  actions: Actions;
  /** false: the proposer may approve too (a test installation with one person) */
  fourEyes: boolean;
};

/** Four eyes: another operator approves exactly what was proposed, and it happens once. */
export function createProposals(deps: Deps) {
  const { database, actions } = deps;
  return {
    actions,
    actAlone: (asked: Asked, by: By) => actAlone(deps, asked, by),
    propose: (asked: Asked, by: By) => propose(deps, asked, by),
    approve: (asked: { id: string; payloadHash: string }, by: By) => approve(deps, asked, by),
    reject: (asked: { id: string; reason: string }, by: By) => reject(deps, asked, by),
    list: (where: Page & { state: ProposalState | null }, caller: Caller) => list(deps, where, caller),
    /** Throws `not_found`. */
    get: (id: string, caller: Caller) => read(database, actions, { id, caller }),
  };
}

type Asked = { action: string; payload: unknown; reason: string };

/** Throws `validation_failed` for a wrong payload, `forbidden`, or the error of `check`. */
async function propose({ database, actions }: Deps, asked: Asked, by: By): Promise<Proposal> {
  const action = actionOf(actions, asked.action);
  requireRole(by.caller, [action.role]);
  const payload = await bindSeen(database, action, readPayload(action, asked.payload));
  const text = canonicalJson(payload);
  const hash = hashOfProposal(asked.action, text);
  const id = `pr_${newKeyId()}`;
  const proposedBy = by.caller.name;
  const named = { id, action: asked.action, payload_hash: hash };
  return inTransaction(database, async (db) => {
    await requireRoleStill(db, proposedBy, action.role);
    const expiresAt = await momentOf(db, PROPOSAL_MS);
    const mac = macOfRow(db, 'proposals', { ...named, proposed_by: proposedBy, expires_at: expiresAt });
    const { rowCount } = await db.query(
      `INSERT INTO proposals (id, action, payload, payload_hash, reason, proposed_by, expires_at, mac)
       SELECT $1, $2, $3, $4, $5, $6, $7, $9
       WHERE (SELECT count(*) FROM proposals
         WHERE state = 'proposed' AND proposed_by = $6 AND expires_at > now()) < $8`,
      [id, asked.action, text, hash, asked.reason, proposedBy, expiresAt, OPEN_MAX, mac],
    );
    if (rowCount === 0) throw conflict(`You have ${OPEN_MAX} open proposals: withdraw some first`);
    await note(db, by, { id, what: 'propose', action: asked.action, hash });
    return read(db, actions, { id, caller: by.caller });
  });
}

/** Does what one person may do alone. Returns null, without any effect, if `execute` demands two. */
async function actAlone({ database, actions }: Deps, asked: Asked, by: By): Promise<Executed | null> {
  const action = actionOf(actions, asked.action);
  if (!action.alone) return null;
  const { actor, caller } = by;
  requireRole(caller, askersOf(action));
  const payload = await bindSeen(database, action, readPayload(action, asked.payload));
  const { reason } = asked;
  const approval: Approval = { actor, proposedBy: caller.name, reason, agreed: 1, proposalId: '' };
  try {
    return await inTransaction(database, async (db) =>
      action.execute(db, payload, approval, await prepare(db, action, payload)),
    );
  } catch (error) {
    if (error instanceof NeedsAnother) return null;
    throw error;
  }
}

/**
 * Approves and executes once, in one transaction. A refusal is stored as `failed` with its reason. After any
 * other error the proposal stays open and nothing has happened.
 */
async function approve(
  { database, actions, fourEyes }: Deps,
  asked: { id: string; payloadHash: string },
  by: By,
): Promise<{ proposal: Proposal } & Omit<Executed, 'outcome'>> {
  const { rows } = await database.query(ONE, [asked.id]);
  // A person who can write rows, but has no key, cannot forge a proposal.
  const isProven = rows[0] && (await proves(database, 'proposals', rows[0]));
  existing(isProven || null, asked.id);
  return inTransaction(database, async (db) => {
    const row = await lock(db, asked.id);
    const action = actionOf(actions, row.action);
    requireRole(by.caller, [action.role]);
    requireOpen(row);
    refuseOther(row, asked.payloadHash);
    if (fourEyes || row.proposed_by !== by.caller.name) await refuseOwn(db, row, action, by.caller);
    const decided_by = by.caller.name;
    const alone = row.proposed_by === decided_by;
    await writeApproval(db, row, by.caller);
    await update(db, 'proposals', { state: 'approved', decided_by, decided_at: NOW, alone }, { id: row.id });
    const { state, outcome, ...after } = await execute(db, { action, row, by });
    await update(db, 'proposals', { state, outcome }, { id: row.id });
    await note(db, by, { id: row.id, what: 'approve', action: row.action, hash: row.payload_hash, state });
    const proposal = await read(db, actions, { id: row.id, caller: by.caller });
    return { proposal, ...after };
  });
}

async function writeApproval(db: Queryable, { id, payload_hash }: Row, caller: Caller): Promise<void> {
  const { name: approved_by, tokenId: token_id } = caller;
  const approved_at = await momentOf(db);
  const mac = macOfRow(db, 'approvals', {
    proposal_id: id,
    payload_hash,
    approved_by,
    token_id,
    approved_at,
  });
  await insert(db, 'approvals', { proposal_id: id, payload_hash, approved_by, token_id, approved_at, mac });
}

/** Proposers can withdraw their own proposal. Anybody else needs the role. */
async function reject(
  { database, actions }: Deps,
  asked: { id: string; reason: string },
  by: By,
): Promise<Proposal> {
  return inTransaction(database, async (db) => {
    const row = await lock(db, asked.id);
    if (row.proposed_by !== by.caller.name) requireRole(by.caller, [actionOf(actions, row.action).role]);
    requireOpen(row);
    await update(
      db,
      'proposals',
      { state: 'rejected', decided_by: by.caller.name, decided_at: NOW, outcome: asked.reason },
      { id: row.id },
    );
    await note(db, by, { id: row.id, what: 'reject', action: row.action, hash: row.payload_hash });
    return read(db, actions, { id: row.id, caller: by.caller });
  });
}

async function list(
  { database, actions }: Deps,
  where: Page & { state: ProposalState | null },
  caller: Caller,
): Promise<Listed<Proposal>> {
  const text = `SELECT * FROM (SELECT *, ${STATE} AS seen FROM proposals) p
    WHERE $1::text IS NULL OR seen = $1`;
  const order = 'proposed_at DESC, id DESC';
  const { items, ...total } = await readPage(database, { text, values: [where.state], order }, where);
  const shown: Proposal[] = [];
  for (const row of items) shown.push(await present(database, actions, { row, caller }));
  return { items: shown, ...total };
}

async function execute(
  db: Queryable,
  { action, row, by }: { action: Action; row: Row; by: By },
): Promise<Executed & { state: 'executed' | 'failed' }> {
  const { id: proposalId, proposed_by: proposedBy, reason } = row;
  const approval: Approval = { actor: by.actor, proposalId, proposedBy, reason, agreed: 2 };
  const carryOut = async (payload: unknown, found: unknown) =>
    ({ state: 'executed', ...(await action.execute(db, payload, approval, found)) }) as const;
  let ready: Parameters<typeof carryOut>;
  await db.query('SAVEPOINT before_execution');
  try {
    const payload = readPayload(action, JSON.parse(row.payload));
    ready = [payload, await prepare(db, action, payload)];
    if (!action.isWhole) return await carryOut(...ready);
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    await db.query('ROLLBACK TO SAVEPOINT before_execution');
    return { state: 'failed', outcome: error.message };
  }
  await db.query('RELEASE SAVEPOINT before_execution');
  return carryOut(...ready);
}

async function refuseOwn(db: Queryable, row: Row, action: Action, caller: Caller): Promise<void> {
  if (row.proposed_by === caller.name)
    throw new GatewayError('forbidden', 'You proposed it: another operator has to approve it');
  const { rows } = await db.query(
    'SELECT name, roles, version, mac FROM operators WHERE name = $1 AND disabled_at IS NULL',
    [row.proposed_by],
  );
  const [proposer] = rows;
  const isKnown = proposer && (await proves(db, 'operators', proposer));
  if (!isKnown || !mayAct(proposer as { roles: Role[] }, [action.role]))
    throw conflict(`${row.proposed_by} may not propose this any more: propose it yourself`);
}

function actionOf(actions: Actions, name: string): Action {
  const action = Object.hasOwn(actions, name) ? actions[name] : undefined;
  if (action) return action;
  const message = `must be one of ${Object.keys(actions).join(', ')}`;
  throw new GatewayError('validation_failed', `action ${message}`, {
    errors: [{ field: 'action', message }],
  });
}

async function present(
  db: Queryable,
  actions: Actions,
  { row, caller }: { row: Row; caller: Caller },
): Promise<Proposal> {
  const action = actions[row.action];
  const showsPeople = mayAct(caller, READS_PEOPLE);
  const view = { db, showsPeople, isOpen: row.seen === 'proposed' };
  const said = (await action?.describe?.(JSON.parse(row.payload), view)) ?? row.action;
  const described: Described = typeof said === 'string' ? { summary: said } : said;
  return {
    id: row.id,
    action: row.action,
    summary: described.summary,
    facts: described.facts ?? [],
    people: showsPeople ? (described.people ?? []) : [],
    payload: showsPeople ? row.payload : withoutPeople(row.payload),
    payloadHash: row.payload_hash,
    reason: row.reason,
    state: row.seen as ProposalState,
    proposedBy: row.proposed_by,
    proposedAt: row.proposed_at,
    expiresAt: row.expires_at,
    decidedBy: row.decided_by,
    decidedAt: row.decided_at,
    outcome: row.outcome,
  };
}

const OF_PEOPLE = ['number', 'phone_number', 'account_number', 'full_name'];

/** Masks people in the payload. The hash still covers the original. */
function withoutPeople(payload: string): string {
  return JSON.stringify(JSON.parse(payload), (key, value) =>
    typeof value !== 'string' || !OF_PEOPLE.includes(key)
      ? value
      : key === 'full_name'
        ? '***'
        : maskNumber(value),
  );
}

async function read(
  db: Queryable,
  actions: Actions,
  { id, caller }: { id: string; caller: Caller },
): Promise<Proposal> {
  const { rows } = await db.query(ONE, [id]);
  return present(db, actions, { row: existing(rows[0] ?? null, id), caller });
}

const STATE = "CASE WHEN state = 'proposed' AND expires_at <= now() THEN 'expired' ELSE state END";
const ONE = `SELECT *, ${STATE} AS seen FROM proposals WHERE id = $1`;
type Row = RowOf<typeof ONE>;

async function lock(db: Queryable, id: string): Promise<Row> {
  const { rows } = await db.query(`${ONE} FOR UPDATE`, [id]);
  return existing(rows[0] ?? null, id);
}

function existing<T>(found: T | null, id: string): T {
  if (found === null) throw new GatewayError('not_found', `There is no proposal ${id}`);
  return found;
}

function requireRole(caller: Caller, roles: readonly Role[]): void {
  if (mayAct(caller, roles)) return;
  throw new GatewayError('forbidden', `This needs the role ${roles.join(' or ')}`);
}

/** The person may lose the role, or be disabled, while this runs: that ends a person's open proposals. */
async function requireRoleStill(db: Queryable, name: string, role: Role): Promise<void> {
  const { rows } = await db.query(
    'SELECT roles FROM operators WHERE name = $1 AND disabled_at IS NULL FOR SHARE',
    [name],
  );
  requireRole({ name, tokenId: '', roles: (rows[0]?.roles ?? []) as Role[] }, [role]);
}

function requireOpen(row: Row): void {
  if (row.seen === 'proposed') return;
  if (row.seen === 'expired') throw conflict('The proposal has expired: propose it again');
  throw conflict(`The proposal is ${row.seen} already (decided by ${row.decided_by})`);
}

/** The approver must have seen the text that was proposed. */
function refuseOther(row: Row, payloadHash: string): void {
  if (row.payload_hash === payloadHash && hashOfProposal(row.action, row.payload) === payloadHash) return;
  throw conflict('This is not the hash of the proposal: look at it again');
}

async function note(
  db: Queryable,
  by: By,
  about: { id: string; what: string; action: string; hash: string; state?: string },
): Promise<void> {
  const { id, what, ...detail } = about;
  await audit(db, { actor: by.actor, action: `proposals.${what}`, subject: id, detail });
}
