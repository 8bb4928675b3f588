import { limitNames } from '../domain/limits.ts';
import { LIVE_SEND } from '../operators/actions/live-send-action.ts';
import { columnsOf, coveredOf, type Proven, purposeOf } from '../platform/db/proofs.ts';
import { SIGNED_DAY } from '../reconciliation/fixed-day.ts';
import { SIGNED_RULE } from '../settlements/settlement-rules.ts';
import { LIFT_ACTION } from '../transactions/care/fence.ts';
import { PARTY_OF_RECEIPT, PARTY_OF_TRANSACTION, type StoredParty } from '../transactions/rows/row-mac.ts';

type Told = {
  id: string;
  about: string;
  at: string;
  by: string;
  /** true if it may still let somebody in or money out: such rows are checked whatever their time says */
  isLive: string;
  join?: string;
  /** SQL of the signed facts, if they are not all in the row */
  columns?: string;
};

type Row = Record<string, unknown>;
export type ProvenTable = Told & {
  as?: string;
  columns: string;
  signed: (row: Row) => object;
  purpose: string;
};

/** Actions whose proposals are checked again after execution. */
const ASKED_AGAIN = `('${LIFT_ACTION}', '${LIVE_SEND}')`;
const sumOf = (row: string) => `to_char(${row}.amount / 100.0, 'FM999999999999990.00')`;
const partyOf = (row: Row) => {
  const { mac: _, ...party } = row.party as StoredParty;
  return party;
};

/** A table of `platform/db/proofs.ts` that is missing here does not compile. */
const covered: Record<Proven, Told> = {
  api_keys: {
    id: 't.id',
    about: "'account', t.account_id, t.scopes, t.allowed_ips, t.label",
    at: 't.created_at',
    by: 't.holder',
    isLive: 't.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > now())',
  },
  freezes: {
    id: 't.account_id',
    about: "'key', t.api_key_id, 'frozen', t.frozen_at, t.reason, 'lifted by', t.lifted_by",
    at: 'p.decided_at',
    by: 'p.proposed_by',
    isLive: 'true',
    join: 'JOIN proposals p ON p.id = t.lifted_by',
  },
  closures: {
    id: 't.opened_by',
    about: "coalesce(t.channel, 'all'), t.service, 'closed', t.closed_at, t.reason",
    at: 'p.decided_at',
    by: 'p.proposed_by',
    isLive: 'true',
    join: 'JOIN proposals p ON p.id = t.opened_by',
  },
  limits: {
    id: 't.account_id',
    about: `'key', t.api_key_id, ${limitNames.map((name) => `'${name}', t.${name}`).join()}`,
    at: 't.set_at',
    by: "''",
    isLive: 'true',
  },
  operators: {
    id: 't.name',
    about: 't.email, t.roles',
    at: 't.created_at',
    by: "''",
    isLive: 't.disabled_at IS NULL',
  },
  operator_tokens: {
    id: 't.id',
    about: "'token of', t.operator, 'until', t.expires_at",
    at: 't.created_at',
    by: 't.issued_by',
    isLive: 't.revoked_at IS NULL AND t.expires_at > now()',
  },
  operator_sessions: {
    id: 't.id',
    about: "'by token', t.token_id, 'from', t.address",
    at: 't.created_at',
    by: 'o.operator',
    isLive: 't.ended_at IS NULL',
    join: 'JOIN operator_tokens o ON o.id = t.token_id',
  },
  proposals: {
    id: 't.id',
    about: 't.action, t.state, t.reason',
    at: 't.proposed_at',
    by: 't.proposed_by',
    isLive: `t.action IN ${ASKED_AGAIN} OR (t.state = 'proposed' AND t.expires_at > now())`,
  },
  approvals: {
    id: 't.proposal_id',
    about: 'p.action, p.reason',
    at: 't.approved_at',
    by: 't.approved_by',
    isLive: `p.action IN ${ASKED_AGAIN}`,
    join: 'JOIN proposals p ON p.id = t.proposal_id',
  },
  notifications: {
    id: 't.id',
    about: "'transaction', t.transaction_id",
    at: 't.received_at',
    by: 't.channel',
    isLive: "t.state = 'unapplied'",
  },
  decisions: {
    id: 't.transaction_id',
    about: 't.outcome, t.note',
    at: 't.decided_at',
    by: 'p.proposed_by',
    isLive: 't.applied_at IS NULL',
    join: 'JOIN proposals p ON p.id = t.proposal_id',
  },
  callback_events: {
    id: 't.id',
    about: "t.event, 'transaction', t.transaction_id",
    at: 't.created_at',
    by: "'account ' || t.account_id",
    isLive: "t.state <> 'delivered'",
  },
  batches: {
    id: 't.id',
    about: `t.batch_number, t.status, t.items, ${sumOf('t')}, t.currency`,
    at: 'coalesce(t.started_at, t.created_at)',
    by: "'key ' || t.started_by",
    isLive: "t.status NOT IN ('finished', 'cancelled')",
  },
  batch_items: {
    id: "t.batch_id || ':' || t.position",
    about: `'batch', b.batch_number, b.status, ${sumOf('t')}, b.currency, t.recipient`,
    at: 'b.created_at',
    by: "'account ' || b.account_id",
    isLive: "b.status NOT IN ('finished', 'cancelled')",
    join: 'JOIN batches b ON b.id = t.batch_id',
    columns: 't.*, b.items_hash',
  },
};

const others: Record<string, ProvenTable> = {
  transactions: {
    id: 't.id',
    about: `t.mode, t.status, ${sumOf('t')}, t.currency, t.reference,
      coalesce(t.msisdn, t.bic || ' ' || t.account_number)`,
    at: 't.created_at',
    by: "coalesce('account ' || t.account_id, t.suspense_item)",
    isLive: "t.status = 'pending'",
    columns: `${PARTY_OF_TRANSACTION} AS party`,
    signed: partyOf,
    purpose: 'row',
  },
  bill_receipts: {
    as: 'r',
    id: "r.space || ':' || r.receipt",
    about: `r.control_number, r.outcome, ${sumOf('r')}, r.currency, r.msisdn`,
    at: 'r.received_at',
    by: 'r.connection',
    isLive: 'false',
    columns: `${PARTY_OF_RECEIPT} AS party`,
    signed: partyOf,
    purpose: 'row',
  },
  settlement_rules: {
    as: 'r',
    id: 'r.version',
    about: "'account', r.account_id, 'to', r.channel, coalesce(r.msisdn, r.bic || ' ' || r.account_number)",
    at: 'r.set_at',
    by: 'p.proposed_by',
    isLive: 'NOT EXISTS (SELECT FROM settlement_rules n WHERE n.replaces = r.version)',
    join: 'LEFT JOIN proposals p ON p.id = r.version',
    columns: SIGNED_RULE,
    signed: (row) => row,
    purpose: 'settlement-rule',
  },
  closed_days: {
    as: 'c',
    id: 'c.closed_by',
    about: 'c.account, c.day',
    at: 'c.closed_at',
    by: 'p.proposed_by',
    isLive: 'c.reopened_at IS NULL',
    join: 'JOIN proposals p ON p.id = c.closed_by',
    columns: SIGNED_DAY,
    signed: (row) => row,
    purpose: 'row',
  },
};

export const provenTables: readonly (readonly [string, ProvenTable])[] = [
  ...(Object.keys(covered) as Proven[]).map((table) => {
    const signed = (row: Row) => coveredOf(table, row as never);
    // Other columns are not read: a thief could write values there that make the row unreadable.
    const columns = columnsOf(table).map((column) => `t.${column}`);
    return [
      table,
      { columns: columns.join(), ...covered[table], signed, purpose: purposeOf(table) },
    ] as const;
  }),
  ...Object.entries(others),
];
