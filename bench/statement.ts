import { scopes } from '../src/accounts/keys.ts';
import { plantLines } from '../test/ledger/statement-support.ts';
import { type ApiProcess, startApiProcess } from '../test/support/api-process.ts';
import { createTestDatabase } from '../test/support/database.ts';
import { ringOf } from '../test/support/key-rings.ts';
import { createTestKeys } from '../test/support/keys.ts';
import { createMerchant } from '../test/support/merchant.ts';
import { type Figure, rounded, timed } from './load.ts';
import { memoryOf } from './processes.ts';

const LINES = 1_000_000;
const READERS = [1, 4];
const RANGE = 'from=2000-01-01&to=2000-04-01';
const MEGABYTE = 1_048_576;
/** So small that V8 collects what is not kept, instead of growing as long as it may. */
const HEAP_MB = 128;

/** A statement of a million lines as CSV, from an API of its own: how fast, and how much memory that process ever had. */
export async function statement(): Promise<Figure> {
  const test = await createTestDatabase();
  const merchant = await createMerchant(test.database, { balance: 1_000 });
  const keyHashSecret = Buffer.alloc(32, 7);
  const keys = createTestKeys({ database: test.database, hashSecrets: ringOf(keyHashSecret) });
  const { apiKey } = await keys.createKey({ accountId: merchant.accountId, actor: 'bench', scopes });
  await plantLines(test.database, merchant.accountId, { lines: LINES });
  const api = await startApiProcess({
    databaseUrl: test.url,
    keyHashSecret,
    environment: { NODE_OPTIONS: `--max-old-space-size=${HEAP_MB}` },
  });
  const rows: Figure['rows'] = [['before', '', '', (await memoryOf(api)).peak]];
  for (const readers of READERS) {
    const csvs: Csv[] = [];
    const read = async () => void csvs.push(await readCsv(api, apiKey));
    const ms = await timed(() => Promise.all(Array.from({ length: readers }, read)));
    for (const { lines } of csvs)
      if (lines !== LINES + 2)
        throw new Error(`${lines} lines: a header row, a top-up and ${LINES} were asked for`);
    const name = `${readers} at once, ${rounded((csvs[0]?.bytes ?? 0) / MEGABYTE)} MiB each`;
    rows.push([
      name,
      rounded(ms / 1_000),
      Math.round((readers * LINES * 1_000) / ms),
      (await memoryOf(api)).peak,
    ]);
  }
  await api.stop();
  await test.drop();
  return {
    title: `Statements of ${LINES.toLocaleString('en')} lines as CSV`,
    columns: ['', 's', 'lines per s', 'peak MiB of the API'],
    rows,
  };
}

type Csv = { bytes: number; lines: number };

async function readCsv(api: ApiProcess, apiKey: string): Promise<Csv> {
  const response = await fetch(`http://127.0.0.1:${api.port}/api/v1/statements?${RANGE}&format=csv`, {
    headers: { authorization: `Bearer ${apiKey}` },
  });
  if (response.status !== 200 || !response.body)
    throw new Error(`the statement was answered ${response.status}: ${await response.text()}`);
  const seen = { bytes: 0, lines: 0 };
  for await (const chunk of response.body) {
    seen.bytes += chunk.length;
    for (const byte of chunk) if (byte === 10) seen.lines += 1;
  }
  return seen;
}
