// tests: slow
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { addProviderSecrets, type ProviderSecrets } from '../../../sandbox/local/providers.ts';
import { notificationToken } from '../../../src/channels/gsma/index.ts';
import {
  type Attack,
  attack,
  hostileDoorBodies,
  NOTIFICATION_SECRETS,
  openDoors,
} from '../support/door-fuzz.ts';
import {
  airtelTransaction,
  BANK_SECRET,
  bankReport,
  billPayment,
  brokerPayment,
  doorVariables,
  halopesaCallback,
  halopesaPayment,
  mixxCallback,
  provenByBank,
  provenBySelcom,
  selcomCallback,
  vodacomCallback,
} from '../support/door-messages.ts';

/** The whole corpus of 20,000 for each door is `npm run fuzz:doors`. */
const COUNT = Number(process.env.HOSTILE_DOORS) || 200;
const SEED = Number(process.env.HOSTILE_SEED) || 20_261_122;
const CPU_MS_MAX = 50;
/** What took longer is measured again: the collector of garbage and other programs share the processor of a test. */
const CPU_MS_PLAIN = 5;
/** Of a test that shares it with many: it may take this much longer. */
const PATIENCE = process.env.HOSTILE_DOORS ? 1 : 4;
/** Bodies that are in memory at once. */
const BATCH = 500;

const ID = '09c97599-0ab0-4cb9-ad18-d6327c66ef03';
const secrets: ProviderSecrets = {};
addProviderSecrets(secrets);
const secretOf = (name: string) => secrets[name] ?? '';
const tokenOf = (network: string) => `${network}-${'t1b2c3d4'.repeat(4)}`;
const C2B_TOKEN = 'c2b-1b2c3d4e5f60718293a4';

const variables = doorVariables(secrets, tokenOf);
const file = JSON.parse(readFileSync('deploy/channels/own.json', 'utf8'));
file.connections.selcom.settings.c2bToken = C2B_TOKEN;

/** A genuine message of a door, and how its sender proves any bytes where the proof is not in them. */
type Genuine = { body: string; prove?: (body: Buffer) => Partial<Omit<Attack, 'body'>> };

const inAddress = (body: string, secret: string): Genuine => ({
  body,
  prove: () => ({ params: { token: secretOf(secret) } }),
});
const bearer = (token: string) => () => ({ headers: { authorization: `Bearer ${token}` } });
const billJson: Genuine = { body: billPayment, prove: bearer(tokenOf('TIGO_PESA')) };
const gsmaBill: Genuine = {
  body: '{"currency":"TZS","amountPaid":"25000","requestingOrganisationTransactionReference":"R1"}',
  prove: () => ({
    ...bearer(tokenOf('M_PESA'))(),
    params: { account: '770000000049', billReference: '770000000049' },
  }),
};
const c2b = (token: string): Genuine => ({
  body: billPayment,
  prove: () => ({ ...bearer(C2B_TOKEN)(), params: { token } }),
});
const paybill = `<COMMAND><USERNAME>airtel</USERNAME><PASSWORD>${secretOf('AIRTEL_PAYBILL_PASSWORD')}</PASSWORD><AMOUNT>25000</AMOUNT><REFERENCE>770000000049</REFERENCE><REFERENCE1>R1</REFERENCE1><TXNID>R1</TXNID></COMMAND>`;
const w2a = `<COMMAND><TYPE>SYNC_BILLPAY_REQUEST</TYPE><TXNID>R1</TXNID><AMOUNT>25000</AMOUNT><CUSTOMERREFERENCEID>770000000049</CUSTOMERREFERENCEID></COMMAND>`;

const genuine: Record<string, Genuine> = {
  '/channels/vodacom-openapi': { body: vodacomCallback },
  '/channels/vodacom-openapi/:token': inAddress(vodacomCallback, 'MPESA_CALLBACK_TOKEN'),
  '/channels/airtel-openapi': { body: `{"transaction":${airtelTransaction},"hash":"${'A'.repeat(43)}="}` },
  '/channels/mixx': { body: mixxCallback },
  '/channels/mixx/:token': inAddress(mixxCallback, 'MIXX_CALLBACK_TOKEN'),
  '/channels/halopesa': { body: halopesaCallback },
  '/channels/halopesa/:token': inAddress(halopesaCallback, 'HALOPESA_CALLBACK_TOKEN'),
  '/channels/selcom': {
    body: selcomCallback,
    prove: () => provenBySelcom(secretOf('SELCOM_API_KEY'), secretOf('SELCOM_API_SECRET')),
  },
  '/channels/selcom/c2b/:token': c2b('notification'),
  '/channels/gsma/:transactionId/:token': {
    body: '{"transactionReference":"1","transactionStatus":"completed","type":"merchantpay","amount":"15000","currency":"TZS"}',
    prove: () => ({
      params: { transactionId: ID, token: notificationToken(NOTIFICATION_SECRETS[0].key, ID) },
    }),
  },
  '/channels/iso20022': { body: bankReport, prove: (body) => provenByBank(body, BANK_SECRET) },
  '/channels/bill/lookup': billJson,
  '/channels/bill/validation': billJson,
  '/channels/bill/notification': billJson,
  '/channels/gsma/accounts/accountid/:account/bills/:billReference/payments': gsmaBill,
  '/channels/gsma/bills/:billReference/payments': gsmaBill,
  '/channels/mpesa-broker': { body: brokerPayment(secretOf('BROKER_PASSWORD')) },
  '/channels/airtel-paybill/validate': { body: paybill },
  '/channels/airtel-paybill/process': { body: paybill },
  '/channels/airtel-paybill/enquiry': { body: paybill },
  '/channels/mixx-w2a': {
    body: w2a,
    prove: () => ({ headers: { authorization: `Basic ${btoa(`mixx:${secretOf('MIXX_W2A_PASSWORD')}`)}` } }),
  },
  '/channels/mixx-w2a/:secret': { body: w2a },
  '/channels/halopesa-bill': {
    body: halopesaPayment(secretOf('HALOPESA_BILLS_PASSWORD'), secretOf('HALOPESA_SECRET')),
  },
};

function* bodiesFor(good: string, seed: number): Generator<Buffer> {
  const bodies = hostileDoorBodies(good);
  for (let from = 0; from < COUNT; from += BATCH)
    yield* fc.sample(bodies, { numRuns: Math.min(BATCH, COUNT - from), seed: seed + from * 31 });
}

function shownAs(door: { path: string }, status: number, body: Buffer): string {
  return `${door.path} ${status}: ${body.toString('base64').slice(0, 2_000)}`;
}

describe('hostile bodies at the doors of the channels', function () {
  this.timeout(120_000 + COUNT * 40);
  const { doors, queries, failed } = openDoors(file, variables);

  it('are tried at every door', () => {
    assert.deepEqual(doors.map(({ path }) => path).sort(), Object.keys(genuine).sort());
  });

  for (const [number, door] of doors.entries()) {
    const { body: good = '', prove } = genuine[door.path] ?? {};

    it(`${COUNT} at ${door.path} cost no time, and nothing at all without a proof`, async () => {
      let slowestMs = 0;
      let i = 0;
      for (const body of bodiesFor(good, SEED + number)) {
        const proof = i % 2 === 0 ? prove?.(body) : undefined;
        i += 1;
        const sent = { headers: {}, params: { token: 'x', transactionId: ID }, body, ...proof };
        const [before, failures] = [queries(), failed()];
        let { status, cpuMs } = await attack(door, sent);
        if (status === 401 || failed() > failures)
          assert.equal(queries(), before, `a query at ${shownAs(door, status, body)}`);
        for (let again = 0; again < 3 && cpuMs > CPU_MS_PLAIN; again += 1)
          cpuMs = Math.min(cpuMs, (await attack(door, sent)).cpuMs);
        slowestMs = Math.max(slowestMs, cpuMs);
        const isFast = cpuMs <= CPU_MS_MAX * PATIENCE;
        assert.ok(isFast, `${cpuMs} ms of the processor at ${shownAs(door, status, body)}`);
        assert.ok(status < 500 || status === 503, shownAs(door, status, body));
      }
      if (process.env.HOSTILE_DOORS) console.log(`      ${door.path}: at most ${slowestMs.toFixed(1)} ms`);
    });
  }

  it('reads the genuine ones: they get as far as the database, which is down', async () => {
    // Airtel's has no hash that proves it, and these addresses belong to accounts that need a secret in them.
    const unproven = [
      '/channels/vodacom-openapi',
      '/channels/airtel-openapi',
      '/channels/mixx',
      '/channels/halopesa',
      '/channels/mixx-w2a/:secret',
    ];
    for (const door of doors.filter(({ path }) => !unproven.includes(path))) {
      const { body = '', prove } = genuine[door.path] ?? {};
      const bytes = Buffer.from(body);
      const before = queries();
      await attack(door, { headers: {}, params: {}, body: bytes, ...prove?.(bytes) });
      assert.ok(queries() > before, door.path);
    }
  });
});
