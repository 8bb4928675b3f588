import type { KeyRing, NamedKey } from '../base/key-ring.ts';
import { audit } from '../platform/db/audit.ts';
import type { Database, Queryable } from '../platform/db/pool.ts';
import { isMac, macWith } from '../platform/db/proofs.ts';
import { inTransaction } from '../platform/db/transaction.ts';
import { queryUnlisted } from '../platform/db/unlisted.ts';
import { type ProvenTable, provenTables } from './proven-tables.ts';

/** A row that people must check before it is used again. `at`: Dar es Salaam time. */
export type Doubtful = { table: string; id: string; about: string; at: string; by: string };

type Asked = {
  database: Database;
  /** the stolen key: its MACs prove nothing from this time on */
  stolen: NamedKey;
  /** ISO 8601 */
  since: string;
};

/** Returns rows that the key signed from `since` on, and all that still let somebody in or money out. */
export function doubtfulRows({ database, ...asked }: Asked): Promise<Doubtful[]> {
  return inTransaction(database, async (db) => {
    const found: Doubtful[] = [];
    for (const [table, how] of provenTables)
      for await (const rows of signedRows(db, table, how, asked))
        for (const { told } of rows) if (told.isDoubtful) found.push({ ...told, table });
    return found;
  });
}

type Signed = { table: string; signed: number; left: number };
type Taking = Asked & {
  keys: KeyRing;
  isTaken: (row: Doubtful) => boolean;
  actor: string;
};

/**
 * Signs again the rows that people accepted, and older ones that allow nothing; the others keep the stolen
 * MAC. One transaction: a crash changes nothing, and a repeat finds nothing. Needs the tables' owner:
 * triggers forbid changes of a MAC, and no process writes while they are off.
 */
export function signAnew({ database, keys, isTaken, actor, ...asked }: Taking): Promise<Signed[]> {
  return inTransaction(database, async (db) => {
    const report: Signed[] = [];
    for (const [table, how] of provenTables) {
      const counted = { table, signed: 0, left: 0 };
      await run(db, `ALTER TABLE ${table} DISABLE TRIGGER USER`);
      for await (const rows of signedRows(db, table, how, asked)) {
        const taken = rows.filter(({ told }) => !told.isDoubtful || isTaken({ ...told, table }));
        await run(
          db,
          `UPDATE ${table} t SET mac = n.mac
           FROM unnest($1::tid[], $2::text[]) AS n (place, mac) WHERE t.ctid = n.place`,
          [taken.map(({ place }) => place), taken.map(({ signed }) => macWith(keys, how.purpose, signed))],
        );
        counted.signed += taken.length;
        counted.left += rows.length - taken.length;
      }
      await run(db, `ALTER TABLE ${table} ENABLE TRIGGER USER`);
      report.push(counted);
    }
    const [{ id: by }] = keys;
    const detail = { since: asked.since, by, tables: report };
    if (report.some(({ signed }) => signed > 0))
      await audit(db, { actor, action: 'secrets.mistrust', subject: asked.stolen.id, detail });
    return report;
  });
}

type Found = { place: string; told: Omit<Doubtful, 'table'> & { isDoubtful: boolean }; signed: object };

const AT_ONCE = 2_000;

/** Yields the rows whose MAC was made with the key. */
async function* signedRows(
  db: Queryable,
  table: string,
  { as = 't', join = '', purpose, ...how }: ProvenTable,
  { stolen, since }: Omit<Asked, 'database'>,
): AsyncGenerator<Found[]> {
  // No index finds a row by its MAC, so a large table is read completely.
  await run(db, "SET LOCAL statement_timeout = '10min'");
  await run(
    db,
    `DECLARE signed SCROLL CURSOR FOR SELECT ${how.columns}, ${as}.ctid AS "itsPlace",
       ${as}.mac AS "itsMac", json_build_object(
       'id', (${how.id})::text, 'about', concat_ws(' ', ${how.about}), 'by', coalesce((${how.by})::text, ''),
       'at', to_char(${how.at} AT TIME ZONE 'Africa/Dar_es_Salaam', 'YYYY-MM-DD"T"HH24:MI:SS"+03:00"'),
       'isDoubtful', ${how.at} >= $2::timestamptz OR (${how.isLive})) AS "itsTale"
     FROM ${table} ${as} ${join} WHERE starts_with(${as}.mac, $1)`,
    [`${stolen.id}:`, since],
  );
  for (let read = 0; ; ) {
    const { rows, count } = await fetchNext(db, read);
    if (count === 0) break;
    read += count;
    const found = rows.map(({ itsPlace: place, itsMac: mac, itsTale: told, ...row }) => {
      return { place, told, mac, signed: how.signed(row) };
    });
    yield found.filter(({ signed, mac }) => isMac([stolen], purpose, signed, mac)) as Found[];
  }
  // Triggers cannot be enabled again while a cursor reads the table.
  await run(db, 'CLOSE signed');
}

/** `count`: rows read, including skipped ones. */
async function fetchNext(db: Queryable, read: number): Promise<{ rows: Row[]; count: number }> {
  const all = await fetchReadable(db, AT_ONCE);
  if (all !== null) return { rows: all, count: all.length };
  await run(db, `MOVE ABSOLUTE ${read} FROM signed`);
  const rows: Row[] = [];
  for (let count = 0; count < AT_ONCE; count += 1) {
    const one = await fetchReadable(db, 1);
    if (one?.length === 0) return { rows, count };
    rows.push(...(one ?? []));
  }
  return { rows, count: AT_ONCE };
}

/** Returns null if a row is unreadable: only a thief writes such rows, and they prove nothing. */
async function fetchReadable(db: Queryable, most: number): Promise<Row[] | null> {
  try {
    return (await run(db, `FETCH ${most} FROM signed`)).rows;
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

type Row = Record<string, unknown>;
const run = (db: Queryable, text: string, values: unknown[] = []) =>
  queryUnlisted<Row>(db, 'rows by their proof', text, values);
