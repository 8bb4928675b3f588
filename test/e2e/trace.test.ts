import assert from 'node:assert/strict';
import { type Gateway, mobilePayoutBody, pushBody, startGateway } from '../support/gateway.ts';
import { openScriptedServer } from '../support/scripted-server.ts';
import { until } from '../support/wait.ts';

type Attribute = { key: string; value: { stringValue?: string; intValue?: number | string } };
type Span = {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  attributes: Attribute[];
  status: { code?: number; message?: string };
  service: string;
};

/** The spans of what a process posts to /v1/traces. */
function spansOf(body: string): Span[] {
  return JSON.parse(body).resourceSpans.flatMap(
    ({
      resource,
      scopeSpans,
    }: {
      resource: { attributes: Attribute[] };
      scopeSpans: { spans: Span[] }[];
    }) => {
      const service = resource.attributes.find(({ key }) => key === 'service.name')?.value.stringValue ?? '';
      return scopeSpans.flatMap(({ spans }) => spans.map((span) => ({ ...span, service })));
    },
  );
}

type Server = Awaited<ReturnType<typeof openScriptedServer>>;

describe('a trace', function () {
  this.timeout(180_000);
  let gateway: Gateway;
  let collector: Server;
  let shop: Server;
  before(async () => {
    collector = await openScriptedServer(() => ({ type: 'application/json', body: '{}' }));
    shop = await openScriptedServer(() => ({}));
    gateway = await startGateway({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
    const body = { callback_url: shop.url };
    const { status } = await gateway.request('PUT', 'callbacks/settings', { body });
    assert.equal(status, 200);
  });
  after(async () => {
    await gateway?.stop();
    await Promise.all([collector?.close(), shop?.close()]);
  });

  const collected = () =>
    collector.asked.flatMap(({ path, body }) => (path === '/v1/traces' ? spansOf(body) : []));
  const attributeOf = (span: Span, name: string) => {
    const value = span.attributes.find(({ key }) => key === name)?.value;
    return value?.stringValue ?? (value?.intValue === undefined ? undefined : Number(value.intValue));
  };

  for (const [kind, where, body, flow, route] of [
    ['payments', 'payments/ussd', pushBody(), 'ussdPush', 'initiateUssdPush'],
    ['payouts', 'payouts/mobile', mobilePayoutBody(), 'payout', 'initiateMobilePayout'],
  ] as const)
    it(`of ${route} goes from the request of the merchant to the request of its callback`, async () => {
      const { json } = await gateway.request('POST', where, { key: `trace-${route}`, body });
      await gateway.outcome(kind, json.transaction_id);
      const callback = await until(
        () => shop.asked.find((asked) => asked.body.includes(json.transaction_id)),
        'the callback came',
      );
      const [, traceId = '', parent = ''] =
        /^00-(\w{32})-(\w{16})-01$/.exec(String(callback.headers.traceparent)) ?? [];
      assert.notEqual(traceId, '', `${callback.headers.traceparent}`);
      const spans = await until(() => {
        const found = collected().filter((span) => span.traceId === traceId);
        const isWhole =
          found.some(({ spanId }) => spanId === parent) &&
          found.some(({ name }) => name === 'activity endAndNotify') &&
          found.some(({ name }) => name.startsWith('request '));
        return isWhole ? found : null;
      }, 'both processes have sent their spans');
      const named = (name: string) => spans.filter((span) => span.name === name);
      const [request] = named(`request ${route}`);
      assert.equal(request?.service, 'malipo-api', spans.map(({ name }) => name).join());
      assert.equal(request?.parentSpanId || '', '');
      assert.equal(attributeOf(request as Span, 'http.response.status_code'), 200);
      for (const name of ['activity accept', 'activity endAndNotify']) {
        const [activity] = named(name);
        assert.ok(activity, `${name} of ${spans.map((span) => span.name).join()}`);
        assert.equal(activity.service, 'malipo-worker');
        assert.equal(attributeOf(activity, 'malipo.transaction_id'), json.transaction_id);
        assert.equal(attributeOf(activity, 'malipo.workflow'), flow);
      }
      const parentOf = (span?: Span) => spans.find(({ spanId }) => spanId === span?.parentSpanId)?.name ?? '';
      assert.match(parentOf(named('channel call')[0]), /^activity /);
      const sender = named('callback').find(({ spanId }) => spanId === parent);
      assert.equal(attributeOf(sender as Span, 'http.response.status_code'), 200);
      assert.match(parentOf(sender), /^activity /);
    });

  it('names nobody: no phone, name, key or amount is in any span', async () => {
    const { json } = await gateway.request('POST', 'payments/ussd', {
      key: 'trace-declined',
      body: pushBody('039'),
    });
    await gateway.outcome('payments', json.transaction_id);
    await until(
      () => collected().some((span) => attributeOf(span, 'malipo.transaction_id') === json.transaction_id),
      'the spans of a push that failed came',
    );
    const all = collected();
    assert.ok(all.length > 20);
    for (const span of all) {
      const { traceId: _t, spanId: _s, parentSpanId: _p, ...rest } = span;
      const text = JSON.stringify({ ...rest, startTimeUnixNano: 0, endTimeUnixNano: 0 });
      const facts = text.replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '');
      assert.doesNotMatch(facts, /754123|\d{9,}|sk_test|trace-|JUMA|ASHA|Zuhura|INV-1/i, facts);
      assert.equal(span.status.message ?? '', '');
    }
  });
});
