import assert from 'node:assert/strict';
import { createAirtelPaybillDoors } from '../../../src/channels/airtel-paybill/bill-door.ts';
import { writeCommand } from '../../../src/channels/airtel-paybill/bill-wire.ts';
import { billProtocols } from '../support/bill-messages.ts';
import { billConnectionOf } from '../support/bill-networks.ts';
import { makeBill } from '../support/bills.ts';
import { useTestApi } from '../support/use-api.ts';

const kinds = Object.entries(billProtocols);
/** One user name for all connections, so that nothing but the secret tells them apart. */
const senderOf = (id: string) => {
  const secret = `the secret of ${id}`.replaceAll(' ', '-');
  return { user: 'the same name', secret, key: `${secret} key` };
};

describe('two connections of one protocol at one bill door', () => {
  const billConnections = kinds.flatMap(([protocol, { open }]) =>
    ['one', 'two'].map((which) => {
      const id = `${protocol}-${which}`;
      return billConnectionOf('t-pesa', open(senderOf(id)), id);
    }),
  );
  const { api, test } = useTestApi({ poolMax: 10, billConnections });
  /** `by`: the connection whose secret it is told with. */
  async function pay(protocol: string, by: string, receipt: string): Promise<number> {
    const { number } = await makeBill(api);
    const { pay: write } = billProtocols[protocol]?.messages ?? {};
    const { path, headers, body } =
      write?.(senderOf(by), { number, receipt, amount: '25000', payer: '255754000001' }) ?? assert.fail();
    const sent = { 'content-type': 'text/xml', ...headers };
    return (await api.call('POST', path, { key: null, headers: sent, ...(body && { raw: body }) })).status;
  }
  const receiptsOf = async (receipt: string) =>
    (
      await test.database.query('SELECT connection, outcome FROM bill_receipts WHERE receipt = $1', [receipt])
    ).rows.map(({ connection, outcome }) => [connection, outcome]);

  for (const [protocol] of kinds) {
    for (const which of ['one', 'two'])
      it(`each is let in with its own proof, and is noted beside the payment (${protocol}, ${which})`, async () => {
        const id = `${protocol}-${which}`;
        const status = await pay(protocol, id, id);
        assert.ok(status < 300, `${status}`);
        assert.deepEqual(await receiptsOf(id), [[id, 'accepted']]);
      });

    it(`opens to no proof of another protocol (${protocol})`, async () => {
      for (const [other] of kinds.filter(([name]) => name !== protocol)) {
        const receipt = `${protocol} by ${other}`;
        assert.equal(await pay(protocol, `${other}-one`, receipt), 401, receipt);
        assert.deepEqual(await receiptsOf(receipt), []);
      }
    });
  }
});

describe('an Airtel connection whose receipts are REFERENCE2', () => {
  const account = { username: 'two', password: 'p'.repeat(24), receiptIn: 'REFERENCE2' } as const;
  const own = billConnectionOf('airtel-money', createAirtelPaybillDoors(account), 'ref2');
  const { api, test } = useTestApi({ poolMax: 10, billConnections: [own] });

  it('knows a payment by that field alone: without it there is no payment', async () => {
    const { number } = await makeBill(api);
    const process = async (fields: Record<string, string>) => {
      const credentials = { USERNAME: account.username, PASSWORD: account.password };
      const answer = await fetch(`http://127.0.0.1:${api.port}/channels/airtel-paybill/process`, {
        method: 'POST',
        body: writeCommand({ ...credentials, AMOUNT: '25000', REFERENCE: number, ...fields }),
      });
      return answer.status;
    };
    assert.equal(await process({ REFERENCE1: 'R1' }), 400);
    assert.equal((await test.database.query('SELECT 1 FROM bill_receipts')).rows.length, 0);
    assert.equal(await process({ REFERENCE1: 'R1', REFERENCE2: 'R2' }), 200);
    const { rows } = await test.database.query('SELECT receipt, connection FROM bill_receipts');
    assert.deepEqual(rows, [{ receipt: 'R2', connection: 'ref2' }]);
  });
});
