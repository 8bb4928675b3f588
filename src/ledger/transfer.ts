import { randomUUID } from 'node:crypto';
import { BrokenInvariant, InsufficientFunds } from '../domain/errors.ts';
import { CURRENCY, type Minor, minor } from '../domain/money.ts';
import { type Actor, audit } from '../platform/db/audit.ts';
import { isNotCovered } from '../platform/db/errors.ts';
import type { Database, Queryable } from '../platform/db/pool.ts';
import { prepared } from '../platform/db/prepared.ts';
import { inTransaction } from '../platform/db/transaction.ts';
import { codeOf, type OwnAccount, type ProvenAccount, type TransferKind } from './accounts.ts';

/**
 * A receipt names one movement within its number space and direction. If another movement has it, posting a
 * channel's report, a line's item or a return fails, because we have looked for the receipt before. A number
 * that operators typed, or that a rule booked, then becomes a pointer.
 */
export type MovementName = { name: string; isReceipt: boolean };

/** The receipt, if any, comes first; the channel's other numbers are only pointers. */
export function namesFrom(
  receipt: string | null,
  others: readonly (string | null | undefined)[] = [],
): MovementName[] {
  const pointers = others.flatMap((name) => (name ? [{ name, isReceipt: false }] : []));
  return receipt === null ? pointers : [{ name: receipt, isReceipt: true }, ...pointers];
}

/** A movement of real money at a network or bank, made by its first report (0034_movements.sql). */
export type Movement = {
  id?: string;
  /** default: `itself` */
  kind?: 'charge' | 'reversal' | 'opening' | undefined;
  toldBy: 'channel' | 'door' | 'line' | 'people';
  /** names by the network or bank; our own references are in the transaction */
  names: readonly MovementName[];
  /** connection over which it moved; may be missing if only operators report it */
  connection?: string | null | undefined;
  part?: number | null;
  /** movement that it gives back, if known */
  givesBack?: string | null | undefined;
  /** statement line that reported it, with its account and time */
  shown?: { line: number; account: string; at: string };
};

export type Told = Pick<Movement, 'toldBy' | 'names' | 'connection'>;

/** Reverses a movement, or undoes a reversal (`undoes`), without a statement. */
export type Turn = { of: string; takesBack: boolean; undoes?: number | null };

type OwnLine = { account: OwnAccount; amount: number; isFee?: true };
export type MovedLine = { account: ProvenAccount; amount: number; moved: Movement | Turn };

export type Transfer = {
  /** set if an earlier row names it */
  id?: string;
  kind: TransferKind;
  currency: string;
  transactionId: string | null;
  /** makes this transfer happen once, however often it is tried */
  dedupeKey: string;
  /** reference shown to merchants */
  reference: string | null;
  note?: string | undefined;
  /** agreement of two operators, if it moves by their decision */
  proposalId?: string | undefined;
  /** statement line that a rule booked by this transfer */
  lineId?: number;
  /**
   * Each account's gain (positive) or loss (negative), minor units; they sum to zero, and zero lines are left
   * out. On a merchant's account each is a statement line; `isFee`: our fee. Money at a network or bank
   * changes only by movements.
   */
  lines: (OwnLine | MovedLine)[];
};

/** `movementId`: set for an entry at a network or bank. */
export type PostedEntry = { entryId: number; transferId: string; movementId: string | null };

const POST = `
  WITH posted AS (
    INSERT INTO transfers (id, kind, transaction_id, dedupe_key, reference, note, proposal_id, line_id)
    SELECT * FROM unnest($1::uuid[], $2::text[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::text[],
      $31::bigint[])
    ON CONFLICT (dedupe_key) DO NOTHING RETURNING id),
  moved AS (
    INSERT INTO movements (id, ledger_account_id, space, connection, kind, amount, currency, account, at,
      transaction_id, part, told_by, gives_back)
    SELECT m.id, a.id, coalesce(receipt_space(m.connection), m.code), m.connection, m.kind, m.amount,
      a.currency, m.account, m.at, m.transaction_id, m.part, m.told_by, m.gives_back
    FROM unnest($8::uuid[], $9::uuid[], $10::text[], $11::bigint[], $12::text[], $13::text[], $14::text[],
      $15::timestamptz[], $16::uuid[],
        $17::smallint[], $18::text[], $19::uuid[])
      AS m (transfer_id, id, kind, amount, code, connection, account, at, transaction_id, part,
        told_by, gives_back)
    JOIN posted ON posted.id = m.transfer_id JOIN ledger_accounts a ON a.code = m.code
    RETURNING id, space, direction),
  told AS (
    SELECT moved.id, moved.space, moved.direction, n.name, n.is_receipt, n.line_id, n.is_looked_for
    FROM unnest($20::uuid[], $21::text[], $22::boolean[], $23::bigint[], $30::boolean[]) AS n (movement_id,
      name, is_receipt, line_id, is_looked_for)
    JOIN moved ON moved.id = n.movement_id),
  receipts AS (
    INSERT INTO movement_names (movement_id, space, direction, name, is_receipt, line_id)
    SELECT id, space, direction, name, true, line_id FROM told WHERE is_receipt
    ORDER BY space, direction, plain_name(name), is_looked_for DESC, name COLLATE "C"
    ON CONFLICT DO NOTHING RETURNING movement_id, plain),
  pointers AS (
    INSERT INTO movement_names (movement_id, space, direction, name, is_receipt, line_id)
    SELECT id, space, direction,
      CASE WHEN is_receipt AND is_looked_for THEN refuse_taken_receipt(name) ELSE name END, false,
      line_id FROM told
    WHERE NOT EXISTS (SELECT FROM receipts r
      WHERE r.movement_id = told.id AND r.plain = plain_name(told.name)) ON CONFLICT DO NOTHING RETURNING id)
  INSERT INTO entries (transfer_id, ledger_account_id, amount, is_fee, movement_id, takes_back, undoes)
  SELECT posted.id, a.id, line.amount, line.is_fee, line.movement_id, line.takes_back, line.undoes
  FROM unnest($24::uuid[], $25::text[], $26::bigint[], $27::boolean[], $28::uuid[], $29::boolean[],
    $32::bigint[])
    WITH ORDINALITY AS line (transfer_id, code, amount, is_fee, movement_id, takes_back, undoes, position)
  JOIN posted ON posted.id = line.transfer_id JOIN ledger_accounts a ON a.code = line.code
  -- Names are there, and were waited for, before the first balance is locked.
  WHERE (SELECT count(*) FROM receipts) + (SELECT count(*) FROM pointers) >= 0
  ORDER BY a.balance IS NOT NULL, a.id, line.position
  RETURNING id AS "entryId", transfer_id AS "transferId", movement_id AS "movementId"` as const;

/** Not prepared, so that Postgres plans for the number of transfers. */
const POST_MANY = `${POST} /* many */` as const;

/**
 * Posts balanced transfers, and returns their entries; one whose dedupe key was posted before moves nothing.
 * Nothing else writes entries, movements, and the movements' first names. Call it last in the caller's
 * transaction, so merchants' rows are locked briefly. Merchants' accounts come last, in id order, so
 * transfers never deadlock. Throws InsufficientFunds if such a balance would become negative, and SQLSTATE
 * ML002 if the same receipt was reported meanwhile: `inTransaction` runs again.
 */
export async function postTransfers(db: Queryable, transfers: readonly Transfer[]): Promise<PostedEntry[]> {
  const values = valuesOf(transfers.map((one) => ({ ...one, id: one.id ?? randomUUID() })));
  const posted = transfers.length === 1 ? db.query(prepared(POST), values) : db.query(POST_MANY, values);
  const { rows } = await posted.catch((error: unknown) => {
    throw isNotCovered(error) ? new InsufficientFunds() : error;
  });
  return rows;
}

function valuesOf(transfers: readonly (Transfer & { id: string })[]) {
  const lines = transfers.flatMap(({ id, kind, transactionId, currency, lines }) =>
    lines
      .filter(({ amount }) => amount !== 0)
      .map((line) => {
        const code = codeOf(line.account, currency);
        return {
          moved: null,
          isFee: false,
          ...line,
          transferId: id,
          transactionId,
          code,
          isOdd: kind === 'suspense',
        };
      }),
  );
  const isTurn = (moved: Movement | Turn | null): moved is Turn => moved !== null && 'of' in moved;
  const movements: (Movement & { id: string; line: (typeof lines)[number] })[] = [];
  const ids: (string | null)[] = [];
  for (const line of lines) {
    const { moved } = line;
    const id = moved === null ? null : isTurn(moved) ? moved.of : (moved.id ?? randomUUID());
    ids.push(id);
    if (moved !== null && id !== null && !isTurn(moved)) movements.push({ ...moved, id, line });
  }
  const names = movements.flatMap(({ id, names, shown, toldBy, kind, line }) => {
    const isLookedFor =
      toldBy === 'channel' || toldBy === 'door' || (toldBy === 'line' ? line.isOdd : kind === 'reversal');
    return names.map((one) => ({ ...one, id, shown, isLookedFor }));
  });
  return [
    transfers.map(({ id }) => id),
    transfers.map(({ kind }) => kind),
    transfers.map(({ transactionId }) => transactionId),
    transfers.map(({ dedupeKey }) => dedupeKey),
    transfers.map(({ reference }) => reference),
    transfers.map(({ note }) => note ?? null),
    transfers.map(({ proposalId }) => proposalId ?? null),
    movements.map(({ line }) => line.transferId),
    movements.map(({ id }) => id),
    movements.map(({ kind }) => kind ?? 'itself'),
    movements.map(({ line }) => minor(-line.amount)),
    movements.map(({ line }) => line.code),
    movements.map(({ connection }) => connection ?? null),
    movements.map(({ shown }) => shown?.account ?? null),
    movements.map(({ shown }) => shown?.at ?? null),
    movements.map(({ line }) => line.transactionId),
    movements.map(({ part }) => part ?? null),
    movements.map(({ toldBy }) => toldBy),
    movements.map(({ givesBack }) => givesBack ?? null),
    names.map(({ id }) => id),
    names.map(({ name }) => name),
    names.map(({ isReceipt }) => isReceipt),
    names.map(({ shown }) => shown?.line ?? null),
    lines.map(({ transferId }) => transferId),
    lines.map(({ code }) => code),
    lines.map(({ amount }) => minor(amount)),
    lines.map(({ isFee }) => isFee),
    ids,
    lines.map(({ moved }) => isTurn(moved) && moved.takesBack),
    names.map(({ isLookedFor }) => isLookedFor),
    transfers.map(({ lineId }) => lineId ?? null),
    lines.map(({ moved }) => (isTurn(moved) ? (moved.undoes ?? null) : null)),
  ] as const;
}

export async function postTransfer(db: Queryable, transfer: Transfer): Promise<boolean> {
  const { length } = await postTransfers(db, [transfer]);
  if (length === 0) return false;
  if (length !== transfer.lines.filter(({ amount }) => amount !== 0).length)
    throw new BrokenInvariant(`transfer ${transfer.dedupeKey} names a ledger account that does not exist`);
  return true;
}

/** Call it if another row proves that the transfer is new. Throws BrokenInvariant if it was posted before. */
export async function postOnce(db: Queryable, transfer: Transfer): Promise<void> {
  if (await postTransfer(db, transfer)) return;
  throw new BrokenInvariant(`transfer ${transfer.dedupeKey} was posted before its row said so`);
}

export type Funding = {
  accountId: string;
  amount: Minor;
  actor: Actor;
  note?: string | undefined;
  /** the bank's reference; a repeated one moves nothing, even for another merchant */
  dedupeKey: string;
  /** only the owner of the tables posts one without it */
  proposalId?: string;
};

export type FundingKind = 'top_up' | 'withdrawal';

/** Canonical form of a reference that people type, so each spelling means the same. */
export const plainReference = (reference: string): string =>
  reference.toUpperCase().replace(/[^A-Z0-9]/g, '') || reference;

const keyOfFunding = (reference: string) => `funding:${plainReference(reference)}`;

/** True if money of any merchant was posted for this bank reference. */
export const isFunded = (db: Queryable, reference: string): Promise<boolean> =>
  isPosted(db, keyOfFunding(reference));

export async function isPosted(db: Queryable, dedupeKey: string): Promise<boolean> {
  const { rowCount } = await db.query('SELECT 1 FROM transfers WHERE dedupe_key = $1', [dedupeKey]);
  return rowCount === 1;
}

export function topUp(database: Database, funding: Funding): Promise<boolean> {
  return inTransaction(database, (db) => postFunding(db, 'top_up', funding));
}

/**
 * Posts a merchant's money that reached our bank account (settlement → available) or left it (available →
 * settlement). Audited. False if posted before. Throws InsufficientFunds. Call it last in the caller's
 * transaction.
 */
export async function postFunding(db: Queryable, kind: FundingKind, funding: Funding): Promise<boolean> {
  if (funding.amount <= 0) throw new RangeError('an amount above zero is needed');
  const { accountId, note, proposalId } = funding;
  const amount = kind === 'top_up' ? funding.amount : -funding.amount;
  const posted = await postTransfer(db, {
    kind,
    currency: CURRENCY,
    transactionId: null,
    dedupeKey: keyOfFunding(funding.dedupeKey),
    reference: funding.dedupeKey,
    note,
    proposalId,
    lines: [
      { account: { kind: 'settlement' }, amount: -amount, moved: movedBy(funding.dedupeKey) },
      { account: { kind: 'available', accountId }, amount },
    ],
  });
  if (!posted) return false;
  await audit(db, {
    actor: funding.actor,
    action: kind === 'top_up' ? 'accounts.top-up' : 'accounts.withdraw',
    subject: accountId,
    detail: {
      amount: funding.amount,
      currency: CURRENCY,
      note: note ?? null,
      reference: funding.dedupeKey,
    },
  });
  return true;
}

/** A movement whose bank number two operators typed. */
export function movedBy(reference: string): Movement {
  return { toldBy: 'people', names: [{ name: reference, isReceipt: true }] };
}
