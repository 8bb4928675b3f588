import assert from 'node:assert/strict';
import { transactionIdOf } from '../../src/transactions/acceptance/idempotency.ts';
import { type Answer, type Json, newKey } from '../support/gateway.ts';
import { customer, openAccount, receivedEvents, sharedGateway } from '../support/shared-gateway.ts';
import { until } from '../support/wait.ts';

type Options = NonNullable<Parameters<typeof openAccount>[1]>;
type At = { gateway?: Awaited<ReturnType<typeof sharedGateway>> };

/** A merchant with an account of its own at the shared gateway, and what its engineer asks for all day. */
export async function openShop(options: Options & At = {}) {
  const gateway = options.gateway ?? (await sharedGateway());
  const account = await openAccount(gateway, options);
  const { apiKey } = account;
  const get = (path: string) => gateway.request('GET', path, { apiKey });
  return {
    ...account,
    gateway,
    get,
    /** with an Idempotency-Key of its own unless one is given */
    post: (path: string, body?: unknown, key: string = newKey()) =>
      gateway.request('POST', path, { apiKey, key, body }),
    /** without a key: previews, cancellations, settings */
    send: (method: string, path: string, body?: unknown) => gateway.request(method, path, { apiKey, body }),
    /** the lookup, once it is no longer pending */
    final: (path: string): Promise<Answer> =>
      until(async () => {
        const answer = await get(path);
        return answer.json.status === 'pending' ? null : answer;
      }, `${path} is final`),
    /** has its callbacks sent to the simulator's receiver */
    listen: () =>
      gateway.request('PUT', 'callbacks/settings', {
        apiKey,
        body: { callback_url: gateway.local.callback_url, passphrase: 'correct horse battery staple' },
      }),
    /** the bodies of its callbacks about a transaction, once there are so many */
    events: (id: string, count: number): Promise<Json[]> =>
      until(async () => {
        const received = await receivedEvents(gateway, id);
        return received.length >= count ? received.map(({ body }) => JSON.parse(body)) : null;
      }, `${count} callbacks about ${id} arrive`),
    /** a customer at the simulator, whose network asks and notifies the service as a real one does */
    customer: (action: 'pay-bill' | 'scan-qr', body: object) => customer(gateway, action, body),
  };
}

export type Shop = Awaited<ReturnType<typeof openShop>>;

/**
 * Creates orders until one is cancelled before its hand-over. The cancellation is sent beside the creation, again and
 * again, because the id is known before: asked for only after the answer, it would come too late on a busy machine.
 */
export function cancelledOrder(shop: Shop, path: string, body: unknown): Promise<Answer> {
  const [family] = path.split('/');
  return until(async () => {
    const key = newKey();
    const where = `${family}/${transactionIdOf(shop.accountId, key)}/cancel`;
    let created: Answer | undefined;
    const creating = shop.post(path, body, key).then((answer) => {
      created = answer;
    });
    for (;;) {
      const isOver = created !== undefined;
      const answer = await shop.send('POST', where);
      // Not there yet.
      if (answer.status === 404 && !isOver) continue;
      await creating;
      assert.equal(created?.status, 200, created?.text);
      if (answer.status === 200) return answer;
      assert.equal(answer.status, 409, answer.text);
      assert.equal(answer.json.code, 'not_cancellable');
      return null;
    }
  }, 'a cancellation comes before the hand-over');
}
