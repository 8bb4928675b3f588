import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { loadSecrets } from '../../sandbox/local/secrets.ts';
import { createDatabase } from '../../src/platform/db/pool.ts';
import { type Gateway, type Json, newKey, startGateway } from '../support/gateway.ts';
import type { Database } from '../support/queryable.ts';
import { until } from '../support/wait.ts';
import { startBrokenBank } from './broken-bank.ts';
import { type Call, calls, planted } from './planted-words.ts';

const SHORTEST_SECRET = 8;

describe('personal data and secrets', function () {
  this.timeout(240_000);
  let gateway: Gateway;
  let database: Database;
  let bank: Awaited<ReturnType<typeof startBrokenBank>>;
  let secrets: Record<string, string>;
  const ids: string[] = [];

  before(async () => {
    bank = await startBrokenBank(`${planted.bankWords} ${planted.account}`);
    gateway = await startGateway({
      LOG_LEVEL: 'debug',
      BANK_URL: bank.url,
      FAILED_AUTHENTICATION_PER_MINUTE: '0',
    });
    database = createDatabase({ url: gateway.local.database_url, poolMax: 2, applicationName: 'test' });
    const {
      accountId: _,
      apiKey = '',
      billTokens,
      providers,
      operators,
      ...own
    } = await loadSecrets(gateway.folder);
    const all = {
      ...own,
      ...billTokens,
      ...providers,
      ...operators,
      apiKeySecret: apiKey.split('_').at(-1) ?? '',
    };
    // A PIN's four digits stand by chance in any large file.
    secrets = Object.fromEntries(
      Object.entries(all as Record<string, string>).filter(([, value]) => value.length >= SHORTEST_SECRET),
    );
    await makePostgresRefuse();
    for (const call of calls()) await send(call);
    await knockAtDoors();
    await failCallbacks();
    await untilAllIsOver();
  });
  after(async () => {
    await database?.end();
    await gateway?.stop();
    await bank?.stop();
  });

  async function send([method, where, body, headers = {}]: Call): Promise<void> {
    const key = `${planted.idempotencyKey}-${newKey()}`;
    const { json } = await gateway.request(method, where, { key, headers, ...(body ? { body } : {}) });
    if (json.transaction_id) ids.push(json.transaction_id);
  }

  /** Postgres itself quotes rows and values in its errors. */
  async function makePostgresRefuse(): Promise<void> {
    await database.query(`
      ALTER TABLE transactions ADD CONSTRAINT planted
        CHECK (msisdn <> '255${planted.rowRefused}' AND coalesce(full_name, '') <> '${planted.rowName}') NOT VALID;
      CREATE FUNCTION quote_the_value() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        RAISE EXCEPTION 'invalid value: %', row_to_json(NEW) USING ERRCODE = '22023', DETAIL = row_to_json(NEW)::text;
      END $$;
      CREATE TRIGGER planted BEFORE INSERT ON transactions FOR EACH ROW
        WHEN (NEW.msisdn = '255${planted.valueRefused}') EXECUTE FUNCTION quote_the_value();
      CREATE TRIGGER planted BEFORE INSERT ON previews FOR EACH ROW
        WHEN (NEW.operation LIKE '%bank%') EXECUTE FUNCTION quote_the_value();
      CREATE TRIGGER planted_update BEFORE UPDATE OF status ON transactions FOR EACH ROW
        WHEN (NEW.msisdn = '255${planted.settleRefused}' AND NEW.status <> 'pending') EXECUTE FUNCTION quote_the_value();
    `);
  }

  async function knockAtDoors(): Promise<void> {
    const { api_url: url } = gateway.local;
    const body = JSON.stringify({
      reference: planted.doorBody,
      debitParty: [{ key: 'msisdn', value: planted.paid }],
    });
    const json = { 'content-type': 'application/json' };
    const doors: [string, RequestInit][] = [
      [`channels/gsma/${ids[0]}/${planted.doorToken}`, { method: 'PUT', headers: json, body }],
      [
        `channels/gsma/${ids[0]}/${planted.doorToken}`,
        { method: 'PUT', headers: json, body: planted.doorBody },
      ],
      ['channels/iso20022', { method: 'POST', body: `<Document>${planted.doorBody}</Document>` }],
      ['channels/iso20022', { method: 'POST', headers: { 'x-signature': planted.doorToken }, body: '<' }],
      [
        'channels/bills/validate',
        { method: 'POST', headers: { ...json, authorization: `Bearer ${planted.doorToken}` }, body },
      ],
      [
        'api/v1/payments/ussd',
        {
          method: 'POST',
          headers: { ...json, authorization: `Bearer ${gateway.local.api_key}`, 'idempotency-key': newKey() },
          body: `{"phone_number": "${planted.brokenJson}`,
        },
      ],
    ];
    for (const [where, init] of doors) await fetch(`${url}/${where}`, init);
  }

  /** A receiver that is not there, whose address is full of secrets. */
  async function failCallbacks(): Promise<void> {
    const { callbackUser, callbackPassword, callbackPath, callbackQuery, passphrase } = planted;
    const address = `http://127.0.0.1:9/${callbackPath}?token=${callbackQuery}`;
    for (const callback_url of [address.replace('//', `//${callbackUser}:${callbackPassword}@`), address])
      await send(['PUT', 'callbacks/settings', { callback_url, passphrase }]);
    const push = { amount: 5_000, currency: 'TZS', phone_number: `0${planted.paid}` };
    await send(['POST', 'payments/ussd', push]);
    await send(['POST', 'callbacks/test']);
    const attempted =
      'SELECT 1 FROM callback_events e JOIN callback_attempts a ON a.event_id = e.id WHERE a.error IS NOT NULL';
    await until(async () => ((await database.query(attempted)).rowCount ?? 0) > 0, 'a callback fails');
  }

  async function untilAllIsOver(): Promise<void> {
    await until(async () => {
      const { rows } = await database.query(
        `SELECT count(*) AS n FROM transactions WHERE status = 'pending' AND mode = 'ussd'
           AND msisdn <> ALL($1)`,
        [[`255${planted.wrongAmount}`, `255${planted.settleRefused}`]],
      );
      return Number(rows[0].n) === 0;
    }, 'every push but those that wait for a person is over');
    const flagged = async (reason: string) =>
      ((await database.query('SELECT 1 FROM attention WHERE reason = $1', [reason])).rowCount ?? 0) > 0;
    await until(
      async () => (await flagged('broken')) && (await flagged('wrong_amount')) && bank.asked() >= 6,
      'people are notified, and the bank has answered in every bad way',
    );
  }

  /** Every planted word and secret that `text` has, by its name. */
  function found(text: string): string[] {
    const all = Object.entries({ ...planted, ...secrets, simulatorsName: 'ASHA JUMA' });
    return all.filter(([, value]) => text.includes(value)).map(([name]) => name);
  }

  async function filesOf(folder: string, wanted: RegExp): Promise<[string, string][]> {
    const names = (await readdir(folder)).filter((name) => wanted.test(name));
    const read = async (name: string): Promise<[string, string]> => [
      name,
      (await readFile(path.join(folder, name))).toString('latin1'),
    ];
    return Promise.all(names.map(read));
  }

  it('are planted forty times', () => {
    assert.ok(Object.keys(planted).length + Object.keys(secrets).length >= 40);
    assert.equal(new Set(Object.values(planted)).size, Object.keys(planted).length);
  });

  it('are in no log line of any process', async () => {
    const logs = await filesOf(path.join(gateway.folder, 'logs'), /\.log$/);
    const all = logs.map(([, text]) => text).join('\n');
    assert.ok(all.includes(ids[0] ?? '?'), 'the logs are looked at: they name the transaction');
    for (const words of ['endAndNotify', 'requestPayout', 'unexpected error', '"outcome":"failed"'])
      assert.ok(all.includes(words), `the logs say ${words}`);
    for (const [name, text] of logs) {
      const lines = text.split('\n').filter((line) => found(line).length > 0);
      assert.deepEqual(lines, [], `${name}: ${found(text)}`);
    }
  });

  it('are not on the attention list', async () => {
    const { rows } = await database.query('SELECT reason, detail FROM attention');
    assert.ok(rows.length >= 2);
    assert.deepEqual(found(JSON.stringify(rows)), []);
  });

  it('are in no message of a failure in Temporal, which is plain text', async () => {
    const connection = await Connection.connect({ address: gateway.local.temporal_address });
    const client = new Client({ connection });
    const messages: string[] = [];
    for await (const { workflowId, runId } of client.workflow.list()) {
      const { events } = await client.workflow.getHandle(workflowId, runId).fetchHistory();
      for (const event of events ?? []) {
        // Local activities leave theirs in markers.
        collectMessages(event, messages);
      }
    }
    await connection.close();
    assert.ok(
      messages.some((message) => message.includes('22023')),
      'failures are looked at',
    );
    assert.deepEqual(messages.flatMap(found), []);
  });

  it('are read by operators all the same: npm start tells the web UI who decodes payloads', async () => {
    const { temporal_ui_url: ui, management_url } = gateway.local;
    const settings = (await (await fetch(`${ui}/api/v1/settings`)).json()) as Json;
    assert.equal(settings.Codec.Endpoint, `${management_url}/codec`);
    const { origin } = new URL(ui ?? '');
    const answer = await fetch(`${settings.Codec.Endpoint}/decode`, {
      method: 'POST',
      headers: { origin, 'content-type': 'application/json', 'x-namespace': 'default' },
      body: '{"payloads": []}',
    });
    assert.deepEqual(await answer.json(), { payloads: [] });
  });

  it('are nowhere in what Temporal stores', async () => {
    const stored = await filesOf(gateway.folder, /^temporal\.db/);
    const all = stored.map(([, text]) => text).join('');
    assert.ok(all.includes(`transaction/${ids[0]}`), 'the store is looked at: it has the ids');
    assert.ok(all.includes('binary/encrypted'), 'payloads are encrypted');
    assert.deepEqual(found(all), []);
  });
});

/** The message and stack of every failure in an event, however deep. */
function collectMessages(value: Json, into: string[]): void {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return;
  if (typeof value.message === 'string') into.push(value.message);
  if (typeof value.stackTrace === 'string') into.push(value.stackTrace);
  for (const inner of Object.values(value)) collectMessages(inner, into);
}
