import type { Queryable } from './pool.ts';
import { queryUnlisted } from './unlisted.ts';

/**
 * These are the rights of each Postgres role, one row per table; anything else is forbidden. Only migrations
 * run as the owner. Append-only tables allow only inserts, fixed columns cannot be updated, and no process
 * truncates, alters or drops.
 */
export const processRoles = {
  /** the API with its doors, also for operators */
  api: 'malipo_api',
  worker: 'malipo_worker',
  /** people may read everything except secrets */
  reader: 'malipo_reader',
} as const;

export type ProcessRole = keyof typeof processRoles;
export const processRoleNames = Object.keys(processRoles) as ProcessRole[];

export type Grants = Partial<Record<ProcessRole, string>>;

const READ = 'SELECT';
const ADD = 'SELECT, INSERT';
const added: Grants = { api: ADD, worker: ADD, reader: READ };

/** These columns show a transaction's progress and end. Its payer, purpose and amount never change. */
const PROGRESS = `UPDATE (event, status, status_at, settled, fee, channel, channel_reference, is_receipt,
    msisdn, full_name,
  failure_code, handed_over_at, prompt_expires_at, next_enquiry_at, waits_until, not_found_since, hinted_at,
  due_at, overdue_at, paid_at, returned_at, return_reason, updated_at)`;
const BILL = `UPDATE (paid, payments, claimed_by, claimed_until)`;
const ADDRESS = `callback_url, callback_disabled_reason, callback_disabled_at, callback_failing_since,
  subscribed_events, callback_updated_at, callback_url_operator_at`;
const RESEND = `UPDATE (state, round, next_attempt_at, swept_at)`;

/** Readers see these columns of tables with sealed bytes. A new column is hidden until it is listed here. */
const OPEN_EVENT = `SELECT (id, transaction_id, api_key_id, account_id, event, sequence, body, state, round,
    next_attempt_at, swept_at, created_at,
  old_url)`;
const OPEN_STATEMENT = `SELECT (id, account, sha256, from_at, to_at, currency, opening, closing, is_first,
    outcome, imported_by, imported_at,
  voided_by, voided_at)`;
const OPEN_LINE = `SELECT (id, statement_id, account, no, position, key, receipt, also_known_as, kind, status,
    amount, currency, at, day,
  late_for, reference, names, sweep_to, balance_after, running, finding, waits, is_void)`;

export const tableGrants: Record<string, Grants> = {
  // A process is not ready before its migrations are applied (schema-gate.ts).
  schema_migrations: { api: READ, worker: READ, reader: READ },
  // Only a migration, as the owner, changes how long data is kept.
  retention: { api: READ, worker: READ, reader: READ },
  // Both processes may close the fence. A trigger lets only the owner (`recover`) open it, with an epoch.
  fence: {
    api: `${READ}, UPDATE (closed_at, reason)`,
    worker: `${READ}, UPDATE (progress, closed_at, reason, swept_at)`,
    reader: READ,
  },

  accounts: { api: `${ADD}, UPDATE (display_name, batches_need_another)`, worker: READ, reader: READ },
  freezes: { api: `${ADD}, UPDATE (lifted_by, mac)`, worker: READ, reader: READ },
  api_keys: {
    api: `${ADD}, UPDATE (revoked_at, last_used_at, ${ADDRESS})`,
    worker: `${READ}, UPDATE (${ADDRESS})`,
    reader: READ,
  },
  // A hash that could change could be taken away, and added again after its end.
  api_key_secrets: { api: `${ADD}, UPDATE (retires_at)` },
  callback_passphrases: { api: `${ADD}, UPDATE (ciphertext, retires_at)`, worker: READ },
  // A trigger of audit_log moves the end of the chain, as the owner.
  audit_log: { api: ADD, worker: 'INSERT', reader: READ },
  audit_head: { api: READ, reader: READ },
  rate_limit_buckets: { api: `${ADD}, UPDATE, DELETE` },
  failed_authentications: { api: `${ADD}, UPDATE, DELETE` },
  uses: { api: `${ADD}, UPDATE (uses)`, worker: `${READ}, DELETE`, reader: READ },
  limits: { api: ADD, worker: READ, reader: READ },
  account_fees: { api: ADD, worker: READ, reader: READ },
  settlement_rules: { api: ADD, worker: READ, reader: READ },

  operators: { api: `${ADD}, UPDATE (roles, version, mac, disabled_at)`, reader: READ },
  operator_tokens: { api: `${ADD}, UPDATE (revoked_at, last_used_at)` },
  operator_sessions: { api: `${ADD}, UPDATE (last_seen_at, ended_at)` },
  proposals: { api: `${ADD}, UPDATE (state, decided_by, decided_at, alone, outcome)`, reader: READ },
  approvals: { api: ADD, reader: READ },
  decisions: {
    api: `${ADD}, UPDATE (answer, answered_at)`,
    worker: `${READ}, UPDATE (applied_at, answer, answered_at)`,
    reader: READ,
  },

  transactions: { api: `${READ}, ${PROGRESS}`, worker: `${ADD}, ${PROGRESS}`, reader: READ },
  idempotency_keys: added,
  stored_answers: added,
  abandoned_submissions: { api: ADD, worker: `${READ}, UPDATE (resolved_at)`, reader: READ },
  previews: { api: ADD, worker: `${READ}, UPDATE (used_by)`, reader: READ },
  payout_days: { api: READ, worker: `${ADD}, UPDATE (value, payouts)`, reader: READ },
  payout_recipients: { api: ADD, worker: `${ADD}, UPDATE (value, day)`, reader: READ },
  // The API takes a push's probe. Operators close and open channels. The worker that sends judges results.
  channel_results: { api: READ, worker: `${ADD}, UPDATE (answered, failed), DELETE`, reader: READ },
  channel_breakers: {
    api: `${READ}, UPDATE (probe_at, probe_of, probes)`,
    worker: `${ADD}, UPDATE (down_since, recovered_at, probe_at, probe_of, probes)`,
    reader: READ,
  },
  closures: { api: `${ADD}, UPDATE (opened_by, mac)`, worker: READ, reader: READ },
  sends: { api: `${READ}, UPDATE (outcome)`, worker: `${ADD}, UPDATE (outcome)`, reader: READ },
  enquiries: { api: READ, worker: `${ADD}, UPDATE (last_at, times)`, reader: READ },
  notifications: { api: `${ADD}, UPDATE (state)`, worker: `${READ}, UPDATE (state)`, reader: READ },
  notification_bodies: { api: ADD, reader: 'SELECT (notification_id, received_at)' },
  attention: { api: `${ADD}, UPDATE (resolved_at)`, worker: `${ADD}, UPDATE (resolved_at)`, reader: READ },
  bills: { api: `${READ}, ${BILL}`, worker: `${ADD}, ${BILL}`, reader: READ },
  // The worker makes numbers, and locks the number that a push pays. The API closes and opens them.
  numbers: { api: `${READ}, UPDATE (status)`, worker: `${ADD}, UPDATE (status)`, reader: READ },
  // The API makes drafts, and pauses and cancels batches; the worker starts, splits and ends them. A function
  // of the owner deletes drafts.
  batches: {
    api: `${ADD}, UPDATE (status, status_reason, errors, updated_at)`,
    worker: `${ADD}, UPDATE (status, status_reason, fees, fee_version, routes, start_at, started_by,
        started_at, mac, held, finished_at, paid, failed, cancelled, due_at, updated_at)`,
    reader: READ,
  },
  batch_items: { api: ADD, worker: `${ADD}, UPDATE (begun_at)`, reader: READ },
  control_number_blocks: { worker: `${ADD}, UPDATE (next)`, reader: READ },
  receipt_spaces: { api: ADD, worker: READ, reader: READ },
  // A notification door inserts a row; the activity that posts the result deletes it.
  owed_results: {
    api: `${ADD}, UPDATE (id, reply, transaction_id, request, owed_since, swept_at)`,
    worker: `${READ}, UPDATE (swept_at), DELETE`,
    reader: READ,
  },
  bill_receipts: {
    api: `${ADD}, UPDATE (signalled_at)`,
    worker: `${ADD}, UPDATE (signalled_at)`,
    reader: READ,
  },
  suspense_items: {
    api: `${ADD}, UPDATE (left_by, transaction_id)`,
    worker: `${ADD}, UPDATE (left_by, transaction_id)`,
    reader: READ,
  },

  // A trigger of entries updates balances, as the owner.
  ledger_accounts: added,
  transfers: added,
  entries: added,
  movements: added,
  // A voided statement frees its names, as the owner.
  movement_names: added,
  ledger_checkpoints: { api: ADD, reader: READ },
  holds: { api: READ, worker: ADD, reader: READ },
  hold_resolutions: { api: READ, worker: ADD, reader: READ },

  // The operator API or the worker imports statements; operators close days.
  statements: { api: `${ADD}, UPDATE (data_key)`, worker: ADD, reader: OPEN_STATEMENT },
  statement_lines: { api: `${ADD}, UPDATE (waits)`, worker: `${ADD}, UPDATE (waits)`, reader: OPEN_LINE },
  line_matches: added,
  line_dismissals: { api: ADD, worker: READ, reader: READ },
  closed_days: { api: `${ADD}, UPDATE (reopened_by, reopened_at)`, worker: READ, reader: READ },

  ledger_sums: { api: READ, worker: `${ADD}, UPDATE (amount)`, reader: READ },
  ledger_sums_head: { api: READ, worker: `${READ}, UPDATE (counted, until, until_xid)`, reader: READ },

  callback_events: { api: `${ADD}, ${RESEND}`, worker: `${ADD}, ${RESEND}`, reader: OPEN_EVENT },
  callback_attempts: {
    api: READ,
    worker: `${ADD}, UPDATE (alive_at, http_status, error, duration_ms), DELETE`,
    reader: READ,
  },
};

/** A view reads with its owner's rights. */
export const viewGrants: Record<string, Grants> = {
  movement_entries: { api: READ, worker: READ, reader: READ },
};

/** Statements and generated columns call these by name; trigger functions need no grant. */
export const functionGrants: Record<string, ProcessRole[]> = {
  'metadata_hash(uuid,text,text)': processRoleNames,
  'metadata_value_hash(text)': processRoleNames,
  'metadata_hashes(uuid,text)': processRoleNames,
  'audit_line(audit_log)': ['api', 'reader'],
  'lines_at_rest(text,timestamp with time zone)': ['api'],
  'open_payback(uuid,text,text,text,text,text,text,jsonb,interval)': ['api'],
  'open_number_payment(text,text,text,text,text,jsonb)': ['api', 'worker'],
  'name_amount(text,bigint,text,uuid,text)': ['api'],
  'accept_suspended(text,text,uuid,smallint,bigint,text,timestamp with time zone)': ['api', 'worker'],
  'void_statement(text,text)': ['api'],
  'plain_reference(text)': processRoleNames,
  'plain_name(text)': ['api', 'worker'],
  'plain_names(text[])': ['api', 'worker'],
  'refuse_taken_receipt(text)': ['api', 'worker'],
  'join_item(text,uuid)': ['api', 'worker'],
  // These run as the owner: they make empty partitions and drop those past the retention.
  'add_partitions(text)': ['worker'],
  'drop_partition(text)': ['worker'],
  // These run as the owner and skip rows younger than the retention.
  'erase_payers(uuid[],text,boolean)': ['api'],
  'drop_old_statement_files()': ['worker'],
  'drop_old_batch_rows()': ['worker'],
  'forget_draft(uuid)': ['api', 'worker'],
  // Deletes sessions that have ended; the audit log keeps them.
  'drop_old_sessions()': ['api'],
  'drop_retired_passphrases()': ['worker'],
  'is_forgettable(transactions,boolean)': ['api'],
  'is_forgettable_receipt(bill_receipts,boolean)': ['api'],
  'payers_kept(boolean)': ['api'],
  'items_called(text,text)': ['api', 'worker'],
  'is_unresolved(text)': ['api', 'worker'],
  // The trigger that protects a transaction's party calls this.
  'is_owner_of(oid)': ['api', 'worker'],
  'receipt_space(text)': ['api', 'worker', 'reader'],
};

export const sequenceGrants: Record<string, Grants> = {
  // The worker draws control numbers and records its position; the API reads how many are left.
  control_number_serials: { api: READ, worker: 'SELECT, USAGE' },
  // A trigger draws from it, as the owner.
  entries_id: {},
};

/** A process's login must not have these attributes, because grants would not limit it. */
const TOO_MIGHTY = 'rolsuper OR rolcreatedb OR rolcreaterole OR rolreplication OR rolbypassrls';

/**
 * Creates missing roles, revokes all their rights and grants those listed above, in the caller's transaction.
 * Throws if a role has other rights, or if the caller may not create roles.
 */
export async function applyGrants(db: Queryable): Promise<void> {
  const roles = Object.values(processRoles);
  const make = (text: string) => queryUnlisted(db, 'the roles of Postgres', text);
  await make(roles.map(createRole).join(';\n'));
  const { rows } = await db.query(
    `SELECT rolname FROM pg_roles r WHERE rolname = ANY($1)
       AND (${TOO_MIGHTY} OR EXISTS (SELECT 1 FROM pg_auth_members m WHERE m.member = r.oid))`,
    [roles],
  );
  if (rows[0])
    throw new Error(
      `the role ${rows[0].rolname} must be no superuser, make no roles or databases, ` +
        'and belong to no other role',
    );
  const everybody = ['PUBLIC', ...roles].join(', ');
  const database = await db.query('SELECT quote_ident(current_database()) AS name');
  const { name } = database.rows[0];
  await make(
    [
      `REVOKE ALL ON DATABASE ${name} FROM ${everybody}`,
      `GRANT CONNECT ON DATABASE ${name} TO ${roles.join(', ')}`,
      `REVOKE ALL ON SCHEMA public FROM ${everybody}`,
      `GRANT USAGE ON SCHEMA public TO ${roles.join(', ')}`,
      ...['TABLES', 'SEQUENCES', 'ROUTINES'].map(
        (kind) => `REVOKE ALL ON ALL ${kind} IN SCHEMA public FROM ${everybody}`,
      ),
      ...statementsOf('TABLE', tableGrants),
      ...statementsOf('TABLE', viewGrants),
      ...statementsOf('SEQUENCE', sequenceGrants),
      ...Object.entries(functionGrants).flatMap(([function_, of]) =>
        of.map((role) => `GRANT EXECUTE ON FUNCTION ${function_} TO ${processRoles[role]}`),
      ),
    ].join(';\n'),
  );
}

function statementsOf(kind: 'TABLE' | 'SEQUENCE', granted: Record<string, Grants>): string[] {
  return Object.entries(granted).flatMap(([name, grants]) =>
    processRoleNames.flatMap((role) => {
      const privileges = grants[role];
      return privileges === undefined
        ? []
        : [`GRANT ${privileges} ON ${kind} ${name} TO ${processRoles[role]}`];
    }),
  );
}

/** Roles belong to the cluster, so another database's migration may create one at the same moment. */
function createRole(role: string): string {
  return `DO $$ BEGIN
    IF NOT EXISTS (SELECT 1 FROM pg_roles
      WHERE rolname = '${role}') THEN CREATE ROLE ${role} NOLOGIN NOINHERIT; END IF;
  EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$`;
}

export type RolePasswords = Partial<Record<ProcessRole, string | undefined>>;

export async function setRolePasswords(db: Queryable, passwords: RolePasswords): Promise<void> {
  for (const role of processRoleNames) {
    const password = passwords[role];
    if (password === undefined) continue;
    const { rows } = await db.query(
      `SELECT format('ALTER ROLE ${processRoles[role]} LOGIN PASSWORD %L', $1::text) AS statement
       /* never null: statement */`,
      [password],
    );
    await queryUnlisted(db, 'the roles of Postgres', rows[0].statement);
  }
}
