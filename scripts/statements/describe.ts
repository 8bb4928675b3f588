import type pg from 'pg';
import { type Known, nullability, split } from './nullable.ts';

/** What the driver makes of a type of Postgres, with the parsers of src/platform/db/pool.ts: read, and where it differs, given. */
const TYPES: Record<string, string | [string, string]> = {
  bool: 'boolean',
  int2: 'number',
  int4: 'number',
  int8: 'number',
  float4: 'number',
  float8: 'number',
  oid: 'number',
  json: ['unknown', 'object | string'],
  jsonb: ['unknown', 'object | string'],
  numeric: ['string', 'string | number'],
  timestamptz: ['string', 'string | Date'],
  bytea: ['Buffer', 'Uint8Array'],
  void: 'void',
  date: ['Date', 'Date | string'],
};
/** The driver makes an object of it: nothing of ours reads one. */
const UNREADABLE = new Set(['interval', 'point', 'circle', 'record', 'timestamp']);

type Column = {
  table: string;
  name: string;
  notNull: boolean;
  isGenerated: boolean;
  hasDefault: boolean;
  type: string;
};
type Field = { name: string; tableID: number; columnID: number; dataTypeID: number };

export type Describer = { tables(isMade: boolean): string; statement(text: string): Promise<string> };

/** Asks a migrated database what statements take and give. Nothing is run. */
export async function createDescriber(db: pg.Client): Promise<Describer> {
  const types = new Map<number, string>(await pairs(db, 'SELECT oid, typname FROM pg_type'));
  const columns = new Map<string, Column>(await pairs(db, COLUMNS));
  const partitions = new Map<string, string>(await pairs(db, PARTITIONS));
  for (const [key, words] of await pairs(db, WORDS)) {
    const column = columns.get(key);
    if (column) column.type = words;
  }
  const byName = new Map([...columns.values()].map((column) => [`${column.table}.${column.name}`, column]));
  const known: Known = {
    isNotNull: (relation, column) => byName.get(`${relation}.${column}`)?.notNull ?? false,
    tableOf: (relation) => partitions.get(relation) ?? relation,
  };
  const typeOf = (oid: number, way: 'read' | 'given') => typeNamed(types.get(oid) ?? '', way);
  const ofColumn = (column: Column, way: 'read' | 'given') =>
    column.type.startsWith("'") ? column.type : typeNamed(column.type, way);

  const writable = (table: string) =>
    [...columns.values()].filter((column) => column.table === table && !column.isGenerated);

  async function rowsOf(text: string, fields: Field[]): Promise<string> {
    if (fields.length === 0 && !/^\s*(SELECT|WITH)\b/i.test(text)) return 'never[]';
    const { rows } = await db.query(`EXPLAIN (GENERIC_PLAN, VERBOSE, FORMAT JSON) ${text}`);
    const can = nullability(text, rows[0]['QUERY PLAN'][0].Plan, known);
    const said = [...text.matchAll(/\/\* never null: ([\w, ]+) \*\//g)].flatMap(([, names = '']) =>
      names.split(', '),
    );
    const unknown = said.filter((name) => !fields.some((field) => field.name === name));
    if (unknown.length > 0) throw new Error(`there is no column ${unknown.join(', ')} to be never null`);
    const members = fields.map(({ name, tableID, columnID, dataTypeID }, at) => {
      const column = columns.get(`${tableID}.${columnID}`);
      const never =
        said.includes(name) || can.isNeverNull(at) || (column?.notNull && can.isAlwaysThere(column.table));
      return `${key(name)}: ${column ? ofColumn(column, 'read') : typeOf(dataTypeID, 'read')}${never ? '' : ' | null'}`;
    });
    const row = `{ ${[...new Map(members.map((member) => [member.split(':')[0], member])).values()].join('; ')} }`;
    return can.hasOneRow ? `[${row}]` : `${row}[]`;
  }

  /** Which columns an INSERT leaves to their defaults. */
  function omissionsOf(text: string): string {
    const [, table, names] = /^\s*INSERT INTO (\w+)(?: AS \w+)?\s*\(([^)]*)\)/.exec(text) ?? [];
    if (!table || !names) return '';
    const named = names.split(',').map((name) => name.trim());
    const left = writable(table).filter(({ name }) => !named.includes(name));
    return `; omits: ${left.map(({ name }) => `'${name}'`).join(' | ') || 'never'}`;
  }

  return {
    /** Each column with what it takes: those that an INSERT names, or those that Postgres makes. */
    tables: (isMade) => {
      const names = [...new Set([...columns.values()].map(({ table }) => table))].sort();
      return names
        .map((table) => {
          const own = [...columns.values()].filter(
            (one) => one.table === table && one.isGenerated === isMade,
          );
          const members = own.map(
            (column) =>
              `    ${key(column.name)}${column.hasDefault || !column.notNull ? '?' : ''}: ${ofColumn(column, 'given')}${column.notNull ? '' : ' | null'};\n`,
          );
          return members.length > 0
            ? `  ${table}: {\n${members.join('')}  };\n`
            : `  ${table}: Record<never, never>;\n`;
        })
        .join('');
    },
    async statement(text) {
      const fields = await describe(db, text);
      const { rows } = await db.query(
        "SELECT coalesce(parameter_types::oid[]::int8[], '{}')::text[] AS types FROM pg_prepared_statements WHERE name = 'asked'",
      );
      await db.query('DEALLOCATE asked');
      const written = columnsWritten(text);
      const values = (rows[0].types as string[]).map((oid, at) => {
        const column = byName.get(written.get(at + 1) ?? '');
        return column && !column.type.endsWith('json')
          ? `${ofColumn(column, 'given')}${column.notNull ? '' : ' | null'}`
          : `${typeOf(Number(oid), 'given')}${column?.notNull ? '' : ' | null'}`;
      });
      return `{ values: [${values.join(', ')}]; rows: ${await rowsOf(text, fields)}${omissionsOf(text)} }`;
    },
  };
}

const COLUMNS = `SELECT a.attrelid || '.' || a.attnum, json_build_object('table', c.relname, 'name', a.attname,
    'notNull', a.attnotnull, 'isGenerated', a.attgenerated <> '' OR a.attidentity <> '', 'hasDefault', a.atthasdef, 'type', t.typname)
  FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_type t ON t.oid = a.atttypid
  WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
    AND a.attnum > 0 AND NOT a.attisdropped ORDER BY c.relname, a.attnum`;
const PARTITIONS = `SELECT c.relname, p.relname FROM pg_inherits i
  JOIN pg_class c ON c.oid = i.inhrelid JOIN pg_class p ON p.oid = i.inhparent`;
/** What a CHECK lets a column be, where it is a list of words. */
const WORDS = `SELECT conrelid || '.' || conkey[1], (
    SELECT string_agg(word[1], ' | ' ORDER BY word[1]) FROM regexp_matches(pg_get_constraintdef(oid), '(''[a-z_]+'')::text', 'g') AS word)
  FROM pg_constraint WHERE contype = 'c' AND cardinality(conkey) = 1
    AND pg_get_constraintdef(oid) ~ '^CHECK \\(\\(\\w+ = ANY \\(ARRAY\\[[^\\]]*\\]\\)\\)\\)$'`;

async function pairs(db: pg.Client, text: string) {
  const { rows } = await db.query({ text, rowMode: 'array' });
  // biome-ignore lint/suspicious/noExplicitAny: what each of the three asks for
  return rows as [any, any][];
}

function typeNamed(name: string, way: 'read' | 'given'): string {
  if (UNREADABLE.has(name) && way === 'read') return 'never';
  if (name.startsWith('_')) {
    const element = typeNamed(name.slice(1), way);
    return way === 'given' ? `readonly (${element} | null)[]` : `${element}[]`;
  }
  const type = TYPES[name] ?? 'string';
  return typeof type === 'string' ? type : type[way === 'read' ? 0 : 1];
}

function key(name: string): string {
  return /^[a-z_]\w*$/i.test(name) ? name : JSON.stringify(name);
}

/** `table.column` for each parameter that an INSERT writes as it is. */
function columnsWritten(text: string): Map<number, string> {
  const [, table, names = '', values = ''] =
    /INSERT INTO (\w+)(?: AS \w+)?\s*\(([^)]*)\)\s*(?:VALUES \(|SELECT )(.*)/s.exec(text) ?? [];
  const columns = names.split(',').map((name) => name.trim());
  const given = split(values, /,\s*/).map((value) =>
    /^\$(\d+)(?:::\w+)?(?:\s*[)\n].*| WHERE.*)?$/s.exec(value),
  );
  return new Map(
    columns.flatMap((name, at) => {
      const number = given[at]?.[1];
      return number ? [[Number(number), `${table}.${name}`]] : [];
    }),
  );
}

/** The columns of a statement's rows; it stays there under the name `asked`. */
function describe(db: pg.Client, text: string): Promise<Field[]> {
  return new Promise((resolve, reject) => {
    let fields: Field[] = [];
    db.query({
      // biome-ignore lint/suspicious/noExplicitAny: the driver's connection has no type for what it sends
      submit(connection: any) {
        connection.parse({ name: 'asked', text, types: [] });
        connection.describe({ type: 'S', name: 'asked' });
        connection.sync();
      },
      handleRowDescription: (message: { fields: Field[] }) => {
        fields = message.fields;
      },
      handleError: reject,
      handleReadyForQuery: () => resolve(fields),
      handleParseComplete: () => {},
    } as pg.Submittable);
  });
}
