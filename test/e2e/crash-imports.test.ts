// tests: hard
import assert from 'node:assert/strict';
import { type Minor, minor } from '../../src/domain/money.ts';
import { parseStatement } from '../../src/reconciliation/formats/parse.ts';
import type { ShownLine } from '../../src/simulator/core/statement-lines.ts';
import { writers } from '../../src/simulator/statements/files.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { useGateway } from '../support/gateway.ts';
import type { Database } from '../support/queryable.ts';
import { digestOf, importOf, walletAccount } from '../support/statements-of-accounts.ts';
import { until } from '../support/wait.ts';
import { strike } from './strike.ts';

/** More of them: IMPORT_KILLS=50. */
const KILLS = Number(process.env.IMPORT_KILLS ?? 20);
const LINES = 1_500;
/** As npm start has it. */
const account = walletAccount({ theirs: '600100', chargeCeiling: minor(10_000_000) });
const HOUR_MS = 3_600_000;
/** So that the last of them is over. */
const BEGAN = Math.floor(Date.now() / HOUR_MS) * HOUR_MS - (KILLS + 2) * HOUR_MS;

/**
 * API and Postgres die at random points of an import. What is stored is what was there before or all of the statement, never
 * a part; imported again it is, to the line and the shilling, what it is where nothing ever died.
 */
describe('an import whose API or Postgres is killed', () => {
  const gateway = useGateway();
  /** where every statement is imported once, and nothing dies */
  let calm: TestDatabase;
  before(async function () {
    this.timeout(60_000);
    calm = await createTestDatabase();
  });
  after(() => calm.drop());

  async function upload(text: string): Promise<Response> {
    const { management_url, operators } = gateway.local;
    return fetch(`${management_url}/operator/v1/statements/${account.id}/files`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${operators[0]?.token}`,
        'content-type': 'application/octet-stream',
      },
      body: text,
      signal: AbortSignal.timeout(60_000),
    });
  }

  it(`is there whole or not at all, ${KILLS} times, and the same in the end`, async () => {
    let opening = minor(0);
    let takesMs = 0;
    const points: string[] = [];
    for (let n = 0; n <= KILLS; n += 1) {
      const { text, closing } = fileOf(n, opening);
      opening = closing;
      const before = await digestOf(gateway.database);
      await importOf(calm.database, account, parseStatement(account, Buffer.from(text)), { bytes: text });
      const whole = await ofAccount(calm.database);
      // The first is not killed: it says how long one takes.
      if (n > 0) {
        const sent = upload(text).then(
          ({ status }) => status,
          () => 'lost',
        );
        const afterMs = Math.random() * takesMs;
        await new Promise((done) => setTimeout(done, afterMs));
        const part = n % 4 === 0 ? 'Postgres' : 'API';
        await strike(gateway, { part, wellWithinMs: 60_000 });
        const answered = await sent;
        // A connection that it had from before is thrown away by the first question.
        const stored = await until(() => digestOf(gateway.database), {
          deadlineMs: 20_000,
          what: 'Postgres',
        });
        const isThere = stored !== before;
        points.push(`${part} after ${Math.round(afterMs)} ms: ${answered}, ${isThere ? 'all' : 'nothing'}`);
        if (isThere) assert.equal(await ofAccount(gateway.database), whole, points.at(-1));
        else assert.notEqual(answered, 200, points.at(-1));
      }
      const began = performance.now();
      const again = await upload(text);
      assert.equal(again.status, 200, await again.clone().text());
      takesMs = Math.max(takesMs, performance.now() - began);
      assert.equal(await ofAccount(gateway.database), whole, points.at(-1));
      const digest = await digestOf(gateway.database);
      assert.equal((await upload(text)).status, 200);
      assert.equal(await digestOf(gateway.database), digest, 'once more changes nothing');
    }
    assert.ok(
      points.some((one) => one.endsWith('nothing')),
      points.join('\n'),
    );
  }).timeout(900_000);
});

/** What an import writes of the account; the rest of the books is other people's payments. */
async function ofAccount(database: Database): Promise<string> {
  const { rows } = await database.query(
    `SELECT a.code, sum(e.amount)::bigint AS sum FROM entries e JOIN ledger_accounts a ON a.id = e.ledger_account_id
     WHERE a.kind IN ('suspense', 'charges') OR a.code = 'clearing:m-pesa:TZS' GROUP BY a.code ORDER BY a.code`,
  );
  const [lines, matches, items] = JSON.parse(await digestOf(database));
  return JSON.stringify([lines, matches, items, rows]);
}

/** One hour after the other: payments that nobody knows, and a charge with every fifth. */
function fileOf(hour: number, opening: Minor): { text: string; closing: Minor } {
  const from = new Date(BEGAN + hour * HOUR_MS);
  let balance = opening;
  const lines = Array.from({ length: LINES }, (_, index): ShownLine => {
    const isCharge = index % 5 === 4;
    const amount = minor(isCharge ? -100 : 100_000 + index);
    balance = minor(balance + amount);
    return {
      receipt: `K${hour}X${isCharge ? index - 1 : index}`,
      kind: isCharge ? 'charge' : 'payment',
      at: new Date(from.getTime() + index * 2_000),
      amount,
      balance,
      party: '255754123456',
      reference: '',
      original: '',
    };
  });
  const period = { theirs: '600100', from, to: new Date(from.getTime() + HOUR_MS), opening };
  return { text: writers.legacy?.({ ...period, lines }) ?? assert.fail(), closing: balance };
}
