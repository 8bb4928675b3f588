import assert from 'node:assert/strict';
import { createChannels } from '../../../src/channels/kit/registry.ts';
import { readPlan } from '../../support/channels-file.ts';
import { ringOf } from '../../support/key-rings.ts';
import { unlimited } from '../support/api.ts';
import { makeBill } from '../support/bills.ts';
import { useTestApi } from '../support/use-api.ts';

const HERE = '127.0.0.0/8';
const ELSEWHERE = '192.0.2.0/24';
const BILL_TOKEN = 'a-token-of-the-network-0123456789';
const CALLBACK_TOKEN = 'a-secret-at-the-end-of-an-address-01';

/** A right proof from an address that is not on the network's list is a wrong one: it may have been copied. */
describe('the list of addresses that a network calls from', () => {
  const { api, restart } = useTestApi();
  let counted = 0;

  async function openWith(addresses: string[]): Promise<void> {
    const at = 'https://mixx.example.com';
    const mixx = {
      push: {
        tokenUrl: at,
        url: at,
        username: 'u',
        password: 'p',
        billerCode: 'MAL',
        billerMsisdn: '255650000001',
      },
      status: { url: at, msisdn: '255650000001', pin: '1' },
      callback: { token: CALLBACK_TOKEN },
    };
    const file = {
      connections: {
        bills: { protocol: 'bill-json', settings: { tokens: [BILL_TOKEN] }, addresses },
        mixx: { protocol: 'mixx', settings: mixx, addresses },
      },
      networks: { 'tigo-pesa': { payments: 'mixx', bills: ['bills'] } },
    };
    const world = { publicUrl: 'https://pay.example.com', notificationSecrets: ringOf(), log: console };
    const channels = createChannels(readPlan(file), world);
    counted = 0;
    await restart({
      billConnections: channels.billConnections,
      notificationDoors: channels.notificationDoors,
      limits: {
        ...unlimited,
        countFailure: async () => {
          counted += 1;
        },
      },
    });
  }

  const lookUp = async () => {
    const { number } = await makeBill(api);
    const body = { utilityref: number, transid: 'T-1', reference: 'T-1' };
    const answer = await api.call('POST', '/channels/bill/lookup', { key: BILL_TOKEN, body });
    return [answer.status, counted];
  };
  const notify = async () => {
    const body = { Status: true, ReferenceID: 'MAL0000000000000000', Amount: '1000', MFSTransactionID: 'X' };
    await api.call('POST', `/channels/mixx/${CALLBACK_TOKEN}`, { key: null, body });
    return counted;
  };

  it('opens the doors of bills and of notifications to those on it, and counts what comes from elsewhere', async () => {
    await openWith([ELSEWHERE]);
    assert.deepEqual(await lookUp(), [401, 1]);
    assert.equal(await notify(), 2);
    await openWith([ELSEWHERE, HERE]);
    assert.deepEqual(await lookUp(), [200, 0]);
    assert.equal(await notify(), 0);
  });
});
