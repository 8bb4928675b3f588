// tests: slow
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import ts from 'typescript';
import { statementsOf } from '../../scripts/statements/collect.ts';
import { createDescriber, type Describer } from '../../scripts/statements/describe.ts';
import { useTestDatabase } from '../support/database.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

describe('the statements that the compiler knows', () => {
  /** A file of src/ with these lines. */
  function programOf(lines: string): { program: ts.Program; file: string } {
    const file = path.join(root, 'src/snippet.ts');
    const { config } = ts.readConfigFile(path.join(root, 'tsconfig.json'), ts.sys.readFile);
    const { options } = ts.parseJsonConfigFileContent({ ...config, include: [] }, ts.sys, root);
    const host = ts.createCompilerHost(options);
    const { readFile, fileExists } = host;
    host.fileExists = (name) => name === file || fileExists(name);
    host.readFile = (name) =>
      name === file
        ? `
      import type { Database } from './platform/db/pool.ts';
      import { naming } from './platform/db/prepared.ts';
      import { DEFAULT, insert, insertMany, NOW, now, update } from './platform/db/write.ts';
export { DEFAULT, insert, insertMany, NOW, naming, now, update };
export async function snippet(db: Database) {
${lines}
}`
        : readFile(name);
    return { program: ts.createProgram([file], options, host), file };
  }

  /** What the compiler says about it. */
  function complaintsAbout(lines: string): string[] {
    const { program, file } = programOf(lines);
    return ts
      .getPreEmitDiagnostics(program, program.getSourceFile(file))
      .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
  }

  it('take no other text, no other values, and give no other column', () => {
    const text = "'SELECT uses FROM uses WHERE account_id = $1 AND use = $2 AND since = $3'";
    const fine = `const { rows } = await db.query(${text}, ['a', 'b', 'now']);\nreturn rows.map((row) => row.uses + 1);`;
    assert.deepEqual(complaintsAbout(fine), []);
    const wrong = {
      'another text': fine.replace('SELECT uses', 'SELECT uses '),
      'a value of another type': fine.replace("'b'", '7'),
      'a value too few': fine.replace("'b', ", ''),
      'another column': fine.replace('row.uses', 'row.used'),
    };
    for (const [what, lines] of Object.entries(wrong)) assert.ok(complaintsAbout(lines).length > 0, what);
  });

  it('that insert what SQL counts do not compile where a column is forgotten', () => {
    const [whole, forgetful] = [
      'INSERT INTO line_dismissals (line_id, proposal_id) VALUES ($1, $2)',
      'INSERT INTO accounts (id, name, display_name) VALUES ($1, $2, $3)',
    ];
    assert.deepEqual(complaintsAbout(`return naming('${whole}') && db;`), []);
    assert.equal(complaintsAbout(`return naming('${forgetful}') && db;`).length, 1);
  });

  const bill = `await insert(db, 'bills', { transaction_id: 'a', account_id: 'b', control_number: 'c', payment_number: null,
    mode: 'exact', description: null, expires_at: NOW, paid: DEFAULT, payments: 0, claimed_by: null, claimed_until: null });`;

  it('name every column of a row that is inserted, each with what it takes', () => {
    assert.deepEqual(complaintsAbout(bill), []);
    const wrong = {
      'a column is forgotten': bill.replace('payments: 0, ', ''),
      'one is forgotten that may be null': bill.replace('description: null, ', ''),
      'two change places': bill.replace("'c', payment_number: null", "null, payment_number: 'c'"),
      'two of other types change places': bill.replace(
        "'exact', description: null",
        "null, description: 'exact'",
      ),
      'another word': bill.replace("'exact'", "'exactly'"),
      'a default that there is not': bill.replace("'b'", 'DEFAULT'),
      'the clock in what is no time': bill.replace('payments: 0', 'payments: NOW'),
      'another column': bill.replace('payments: 0', 'payments: 0, paid_by: null'),
      'one that Postgres makes': `await update(db, 'attention', { id: 1 }, { id: 2 });`,
    };
    for (const [what, lines] of Object.entries(wrong)) assert.ok(complaintsAbout(lines).length > 0, what);
  });

  const collected = (lines: string) => {
    const { program } = programOf(lines);
    const { texts, refused } = statementsOf(program, root);
    return { texts: [...texts].flatMap(([text, places]) => (places.has('entry') ? text : [])), refused };
  };

  it('are made of the columns of what is inserted or changed, a text for each form', () => {
    const { texts, refused } = collected(`${bill}
      const at = process.argv[2] ?? null;
      await update(db, 'bills', { claimed_until: at ?? now(5), paid: 1 }, { transaction_id: 'a', payment_number: null });
      await insertMany(db, 'receipt_spaces', ['a'], (space) => ({ connection: space, space, noted_at: NOW }),
        { onConflict: 'DO NOTHING', returning: ['space'] });`);
    assert.deepEqual(refused, []);
    assert.deepEqual(texts.sort(), [
      'INSERT INTO bills (transaction_id, account_id, control_number, payment_number, mode, description, expires_at, payments, claimed_by, claimed_until) VALUES ($1, $2, $3, $4, $5, $6, now(), $7, $8, $9)',
      'INSERT INTO receipt_spaces (connection, space, noted_at) SELECT connection, space, now() FROM jsonb_populate_recordset(NULL::receipt_spaces, $1) ON CONFLICT DO NOTHING RETURNING space',
      'UPDATE bills SET claimed_until = $1, paid = $2 WHERE transaction_id = $3 AND payment_number IS NULL',
      "UPDATE bills SET claimed_until = coalesce($1::timestamptz, now()) + $2 * interval '1 millisecond', paid = $3 WHERE transaction_id = $4 AND payment_number IS NULL",
    ]);
  });

  it('are not made of what cannot be read', () => {
    const row = "{ connection: 'a', space: 'b', noted_at: DEFAULT }";
    const refused = {
      'has a spread': `await insert(db, 'receipt_spaces', { ...${row}, space: 'c' });`,
      'is no object literal': `const row = ${row} as const; await insert(db, 'receipt_spaces', row);`,
      'changes every row': `await update(db, 'bills', { paid: 1 }, {});`,
      'in all of them, or in none': `await insertMany(db, 'receipt_spaces', [null, 'now'], (at) => ({ connection: 'a', space: 'b', noted_at: at ?? NOW }));`,
      'put together while the process runs': `await insert(db, 'receipt_spaces', ${row}, { onConflict: String(db) });`,
    };
    for (const [why, lines] of Object.entries(refused))
      assert.match(collected(lines).refused.join('\n'), new RegExp(`^src/snippet.ts:\\d+: .*${why}`), why);
  });

  it('are all but a few, which have names', () => {
    const unlisted = readFileSync(path.join(root, 'src/platform/db/unlisted.ts'), 'utf8');
    const names = [...unlisted.matchAll(/^ {2}\| ('[^']+')/gm)].map(([, name]) => String(name));
    const sources = ['src', 'sandbox']
      .flatMap((folder) =>
        readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) =>
          path.posix.join(folder, name),
        ),
      )
      .filter((name) => name.endsWith('.ts') && name !== 'src/platform/db/unlisted.ts')
      .map((name) => readFileSync(path.join(root, name), 'utf8'));
    assert.ok(names.length > 0 && names.length <= 10);
    for (const name of names)
      assert.ok(
        sources.some((source) => source.includes(name)),
        name,
      );
  });
});

describe('what Postgres says of a statement', () => {
  const test = useTestDatabase();
  let client: pg.Client;
  let describer: Describer;
  before(async () => {
    await test.database.query(`CREATE TABLE parents (id int PRIMARY KEY, name text NOT NULL, note text,
        state text NOT NULL CHECK (state IN ('old', 'new')), twice int GENERATED ALWAYS AS (id * 2) STORED);
      CREATE TABLE children (id int PRIMARY KEY, parent int NOT NULL, at timestamptz NOT NULL)`);
    client = new pg.Client({ connectionString: test.url });
    await client.connect();
    describer = await createDescriber(client);
  });
  after(() => client.end());

  const rowsOf = async (text: string) =>
    /rows: (.*?)(; omits.*)? \}$/.exec(await describer.statement(text))?.[1];

  it('is which columns are never null, and which words they are', async () => {
    const rows = await rowsOf('SELECT id, name, note, state FROM parents');
    assert.equal(rows, "{ id: number; name: string; note: string | null; state: 'new' | 'old' }[]");
  });

  it('is that an outer join may empty a column, whichever way it is written', async () => {
    const joins = {
      'parents p LEFT JOIN children c ON c.parent = p.id': 'name: string; at: string | null',
      'children c RIGHT JOIN parents p ON c.parent = p.id': 'name: string; at: string | null',
      'parents p FULL JOIN children c ON c.parent = p.id': 'name: string | null; at: string | null',
      'parents p JOIN children c ON c.parent = p.id': 'name: string; at: string',
      'parents p LEFT JOIN children c ON c.parent = p.id WHERE c.id IS NULL':
        'name: string; at: string | null',
      'parents p LEFT JOIN (SELECT parent, at FROM children LIMIT 9) c ON c.parent = p.id':
        'name: string; at: string | null',
    };
    for (const [from, members] of Object.entries(joins))
      assert.equal(await rowsOf(`SELECT name, at FROM ${from}`), `{ ${members} }[]`, from);
    const cte =
      'WITH c AS MATERIALIZED (SELECT * FROM children) SELECT name, at FROM parents LEFT JOIN c ON c.parent = parents.id';
    assert.equal(await rowsOf(cte), '{ name: string; at: string | null }[]');
  });

  it('is that an expression may be null unless it is plainly a value', async () => {
    const expressions = {
      'count(*)': 'number',
      'sum(id)': 'number | null',
      "coalesce(max(name), '')": 'string',
      'coalesce(max(name), max(note))': 'string | null',
      'max(name) IS NULL': 'boolean',
      "max(name) = 'a'": 'boolean | null',
      'count(*) > 1 AND max(id) > 1': 'boolean | null',
    };
    for (const [expression, type] of Object.entries(expressions))
      assert.equal(await rowsOf(`SELECT ${expression} AS it FROM parents`), `[{ it: ${type} }]`, expression);
    assert.equal(
      await rowsOf(
        'SELECT name, n FROM parents p LEFT JOIN (SELECT parent, count(*) AS n FROM children GROUP BY 1) c ON c.parent = p.id',
      ),
      '{ name: string; n: number | null }[]',
    );
  });

  it('is nothing certain of a UNION or a query inside, and what the statement itself says', async () => {
    const union = 'SELECT id FROM parents UNION ALL SELECT NULL FROM children';
    assert.equal(await rowsOf(union), '{ id: number | null }[]');
    assert.equal(
      await rowsOf('SELECT (SELECT name FROM parents LIMIT 1) AS name FROM children'),
      '{ name: string | null }[]',
    );
    assert.equal(await rowsOf('SELECT note FROM parents /* never null: note */'), '{ note: string }[]');
    await assert.rejects(rowsOf('SELECT note FROM parents /* never null: name */'), /no column name/);
  });

  it('is what an INSERT takes for each column, and which it leaves to their defaults', async () => {
    const text = 'INSERT INTO parents (id, note, state) VALUES ($1, $2, $3)';
    assert.equal(
      await describer.statement(text),
      "{ values: [number, string | null, 'new' | 'old']; rows: never[]; omits: 'name' }",
    );
    await assert.rejects(describer.statement('SELECT nothing FROM parents'), /does not exist/);
  });
});
