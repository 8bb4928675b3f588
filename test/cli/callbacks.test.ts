import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { createRun } from '../../src/cli/context.ts';
import { createProgram } from '../../src/cli/program.ts';
import { loadConfig } from '../../src/config.ts';
import { transactionEvents } from '../../src/domain/event.ts';
import { callbackWorkflowIdOf } from '../../src/domain/ids.ts';
import { createTemporalClient } from '../../src/temporal/connect.ts';
import { loadEvent, plantEvent } from '../callbacks/planted.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { createMerchant, type Merchant } from '../support/merchant.ts';
import { startTemporalDevServer } from '../support/temporal.ts';

const secret = () => randomBytes(32).toString('base64');

describe('callbacks on the command line', function () {
  this.timeout(60_000);
  let test: TestDatabase;
  let merchant: Merchant;
  let environment: Record<string, string>;
  before(async () => {
    test = await createTestDatabase();
    environment = {
      MALIPO_ENV: 'development',
      DATABASE_URL: test.urlOf('api'),
      TEMPORAL_ADDRESS: (await startTemporalDevServer()).address,
      KEY_HASH_SECRET: secret(),
      ENCRYPTION_KEY: secret(),
      NOTIFICATION_SECRET: secret(),
      SUBMISSION_KEY: secret(),
    };
  });
  after(() => test.drop());
  beforeEach(async () => {
    merchant = await createMerchant(test.database);
  });

  async function run(...args: string[]): Promise<string[]> {
    const lines: string[] = [];
    const program = createProgram(
      createRun({ config: async () => loadConfig(environment), print: (line) => lines.push(line) }),
    );
    await program.parseAsync(['callbacks', ...args], { from: 'user' });
    return lines;
  }
  /** whether a workflow for this round was started */
  async function isStarted(eventId: string, round: number): Promise<boolean> {
    const temporal = createTemporalClient(loadConfig(environment));
    const handle = temporal.client.workflow.getHandle(callbackWorkflowIdOf(eventId, round));
    const started = await handle.describe().then(
      () => true,
      () => false,
    );
    await temporal.close();
    return started;
  }
  async function plantFailed(count: number): Promise<string[]> {
    const ids: string[] = [];
    while (ids.length < count) ids.push(await plantEvent(test.database, merchant));
    await test.database.query("UPDATE callback_events SET state = 'failed' WHERE id = ANY($1)", [ids]);
    return ids;
  }

  it('resends one event, and says so in the audit log', async () => {
    const [id = ''] = await plantFailed(1);
    assert.deepEqual(await run('resend', merchant.accountId, '--event', id), [`${id} is queued`]);
    assert.equal(await isStarted(id, 1), true);
    const { rows } = await test.database.query(
      "SELECT actor FROM audit_log WHERE action = 'callbacks.resend' AND subject = $1",
      [id],
    );
    assert.match(rows[0]?.actor, /^cli:/);
    const stranger = await createMerchant(test.database);
    await assert.rejects(run('resend', stranger.accountId, '--event', id), /no callback event/);
  });

  it('resends all events of a range of time, however many', async () => {
    const [first = '', second = ''] = await plantFailed(2);
    await test.database.query(
      "UPDATE callback_events SET created_at = now() - interval '2 days' WHERE id = $1",
      [first],
    );
    const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();
    assert.deepEqual(await run('resend', merchant.accountId, '--from', hoursAgo(1)), ['1 event is queued']);
    assert.equal((await loadEvent(test.database, first))?.state, 'failed');
    assert.equal(await isStarted(second, 1), true);
    assert.deepEqual(await run('resend', merchant.accountId, '--from', hoursAgo(72), '--to', hoursAgo(24)), [
      '1 event is queued',
    ]);
    assert.deepEqual(
      await run('resend', merchant.accountId, '--from', hoursAgo(72), '--state', 'delivered'),
      ['0 events are queued'],
    );
  });

  it('pings a key, also while Temporal is away: then the sweep starts it', async () => {
    const [line = ''] = await run('ping', merchant.apiKeyId);
    assert.match(line, /^evt_[0-9a-f]{32} is queued$/);
    assert.equal(await isStarted(line.split(' ')[0] ?? '', 1), true);
    environment.TEMPORAL_ADDRESS = '127.0.0.1:9';
    const [warning, queued = ''] = await run('ping', merchant.apiKeyId);
    assert.match(warning ?? '', /Temporal does not answer/);
    assert.equal((await loadEvent(test.database, queued.split(' ')[0] ?? ''))?.state, 'pending');
  });

  it('asks for what it needs', async () => {
    await assert.rejects(run('resend', merchant.accountId), /either --event, or --from/);
    await assert.rejects(run('resend', merchant.accountId, '--from', 'yesterday'), /yesterday is no time/);
    await assert.rejects(run('resend', 'nobody', '--from', '2026-01-01'), /no account nobody/);
    await assert.rejects(run('ping', 'nobody'), /No API key/);
  });

  it('says which events are sent', async () => {
    const sent = async () => {
      const { rows } = await test.database.query('SELECT subscribed_events FROM api_keys WHERE id = $1', [
        merchant.apiKeyId,
      ]);
      return rows[0].subscribed_events;
    };
    assert.deepEqual(await sent(), transactionEvents);
    await run('set', merchant.apiKeyId, '--events', 'payout.returned', 'payment.received');
    assert.deepEqual(await sent(), ['payment.received', 'payout.returned']);
    await run('set', merchant.apiKeyId, '--passphrase', 'a secret of the shop, long enough');
    assert.deepEqual(await sent(), ['payment.received', 'payout.returned'], 'kept');
    await run('set', merchant.apiKeyId, '--events', 'none');
    assert.deepEqual(await sent(), []);
    await run('set', merchant.apiKeyId, '--events', 'all');
    assert.deepEqual(await sent(), transactionEvents);
  });
});
