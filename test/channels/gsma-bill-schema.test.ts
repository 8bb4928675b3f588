import assert from 'node:assert/strict';
import { networks } from '../../src/domain/network.ts';
import { billTokenOf } from '../api/support/bill-networks.ts';
import { makeBill, mistyped, tell } from '../api/support/bills.ts';
import { useTestApi } from '../api/support/use-api.ts';
import { type Line, openLine } from '../sandbox/simulator/line.ts';
import { openSimulator } from '../support/simulator.ts';
import { withGsmaDocument } from './gsma-document.ts';
import type { OpenApiDocument } from './openapi-document.ts';

const DOOR = '/channels/gsma';

function billTests(document: OpenApiDocument): void {
  const { api } = useTestApi({ poolMax: 4 });
  let line: Line;
  before(async () => {
    line = await openLine(() => `http://127.0.0.1:${api.port}`);
  });
  after(() => line.close());

  it('keeps what a network and the door say within the published schemas', async () => {
    const tokens = Object.fromEntries(networks.map(({ id }) => [id, billTokenOf(id)]));
    const simulator = await openSimulator({ gateway: { url: line.url, tokens } });
    const pay = (number: string, amount: number) =>
      fetch(`${simulator.url}/customer/pay-bill`, {
        method: 'POST',
        body: JSON.stringify({ control_number: number, amount, phone_number: '0754123456' }),
      });
    const flexible = await makeBill(api, { amount: 12_500.5, mode: 'flexible' });
    const exact = await makeBill(api);
    await pay(flexible.number, 2_500.5);
    await pay(flexible.number, 10_000);
    for (const amount of [24_999, 25_001, 25_000, 25_000]) await pay(exact.number, amount);
    await pay(mistyped(exact.number), 25_000);
    await simulator.close();

    assert.ok(line.exchanges.length >= 12);
    const statuses = new Set(line.exchanges.map(({ status }) => status));
    assert.deepEqual([...statuses].sort(), [200, 201, 400, 404]);
    const problems = line.exchanges.flatMap(
      ({ method, path, requestBody, headers, status, responseBody }) => {
        const inner = path.slice(DOOR.length);
        return [
          ...(method === 'POST' ? document.requestProblems(inner, requestBody) : []),
          ...document.headerProblems(inner, method, headers),
          ...document.responseProblems(inner, { method, status }, responseBody),
        ].map((problem) => `${method} ${inner} ${status}: ${problem}`);
      },
    );
    assert.deepEqual(problems, []);
  });

  it('keeps refusals that no network of ours provokes, and every payment of a list, within them too', async () => {
    const { number } = await makeBill(api, { mode: 'flexible' });
    const bills = `/accounts/accountid/${number}/bills`;
    const payments = `${bills}/${number}/payments`;
    const body = { currency: 'TZS', amountPaid: '1000', requestingOrganisationTransactionReference: 'CKL-1' };
    const shown = async (method: string, path: string, sent: object = {}) => {
      const answer = await tell(api, { method, path: `gsma${path}`, network: 'm-pesa', ...sent });
      assert.deepEqual(document.responseProblems(path, { method, status: answer.status }, answer.body), []);
      return answer.status;
    };
    assert.equal(await shown('POST', `/bills/${number}/payments`, { body }), 201);
    assert.equal(await shown('POST', payments, { body, token: 'nobody' }), 401);
    assert.equal(await shown('POST', payments, { raw: '{' }), 400);
    const shillingsOfKenya = {
      ...body,
      currency: 'KES',
      requestingOrganisationTransactionReference: 'CKL-2',
    };
    assert.equal(await shown('POST', payments, { body: shillingsOfKenya }), 400);
    assert.equal(await shown('POST', payments, { body: { currency: 'TZS' } }), 400);
    assert.equal(await shown('GET', bills, { token: 'nobody' }), 401);
    // The document describes this list by the schema of one payment: each is held against it.
    const list = await tell(api, { method: 'GET', path: `gsma${payments}`, network: 'm-pesa' });
    assert.equal(list.body.length, 1);
    for (const payment of list.body)
      assert.deepEqual(document.responseProblems(payments, { method: 'GET', status: 200 }, payment), []);
  });
}

describe('the GSMA bills and the published OpenAPI document', () => withGsmaDocument(billTests));
