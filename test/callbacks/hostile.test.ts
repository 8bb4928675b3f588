// tests: slow, many connections
import assert from 'node:assert/strict';
import { createServer, type Server, type Socket } from 'node:net';
import { createUrlPolicy, type UrlPolicy } from '../../src/callbacks/guard-url.ts';
import { createCallbackSender, type Sent } from '../../src/callbacks/send.ts';
import { getCallbackSettings, saveCallbackSettings } from '../../src/callbacks/settings.ts';
import { GatewayError } from '../../src/domain/errors.ts';
import { useTestDatabase } from '../support/database.ts';
import { ringOf } from '../support/key-rings.ts';
import { createMerchant } from '../support/merchant.ts';
import { refusedUrls, treacherousNames } from './hostile-urls.ts';
import { answering, startReceiver } from './receiver.ts';

const GOOD = 'https://shop.example/callbacks';
/** So many sends to one name as it has answers, and one more. */
const SENDS = 4;

describe('hostile callback URLs', () => {
  const encryptionKeys = ringOf();
  const canary = createCanary();
  const test = useTestDatabase();
  let keyId: string;
  let policy: UrlPolicy;
  let questions: Map<string, number>;
  before(async () => {
    keyId = (await createMerchant(test.database, { callbackUrl: GOOD })).apiKeyId;
    await canary.start();
  });
  after(() => canary.stop());
  beforeEach(() => {
    questions = new Map();
    policy = createUrlPolicy({
      development: false,
      ports: [443, 8443, canary.port()],
      resolveHost: async (name) => answerOf(name),
    });
    canary.visits = 0;
  });
  afterEach(() => policy.dispatcher.destroy());

  /** A name that is not in the list leads to the canary, too. */
  function answerOf(name: string): string[] {
    const asked = questions.get(name) ?? 0;
    questions.set(name, asked + 1);
    const known = Object.values(treacherousNames)
      .flat()
      .find(({ host }) => new URL(`https://${host}`).hostname === name);
    const answers = known?.answers ?? [['127.0.0.1']];
    return answers[Math.min(asked, answers.length - 1)] ?? [];
  }

  const here = (url: string) => url.replace('PORT', String(canary.port()));
  const set = (callbackUrl: string) =>
    saveCallbackSettings(
      test.database,
      { keyId, callbackUrl, actor: 'test', by: 'merchant' },
      { encryptionKeys, urlPolicy: policy },
    );
  async function send(url: string, options: { unchecked?: boolean } = {}): Promise<Sent> {
    const sender = createCallbackSender({
      policy: options.unchecked ? { ...policy, check: () => null } : policy,
      userAgent: 'Malipo/test',
      timeoutMs: 300,
    });
    const answer = await sender.send({ url, body: '{}', headers: {} });
    assert.ok(!('busy' in answer));
    return answer;
  }

  for (const [what, urls] of Object.entries(refusedUrls)) {
    describe(what, () => {
      for (const url of urls) {
        it(`${JSON.stringify(url)} cannot be set, and is not called`, async () => {
          await set(GOOD);
          const before = await getCallbackSettings(test.database, keyId);
          await assert.rejects(
            set(here(url)),
            (error) => error instanceof GatewayError && error.code === 'validation_failed',
          );
          assert.deepEqual(await getCallbackSettings(test.database, keyId), before);
          const sent = await send(here(url));
          assert.equal(sent.httpStatus, null);
          assert.match(sent.error ?? '', /^the callback address must/);
          assert.equal(canary.visits, 0);
        });
      }

      it('is not connected to where nobody looked at the URL before', async () => {
        for (const url of urls.map(here).filter((text) => URL.canParse(text))) {
          if (!/^https?:$/.test(new URL(url).protocol)) continue;
          const sent = await send(url, { unchecked: true });
          assert.equal(sent.httpStatus, null, url);
          assert.equal(canary.visits, 0, url);
        }
      });
    });
  }

  for (const [what, names] of Object.entries(treacherousNames)) {
    describe(what, () => {
      for (const { host, answers } of names) {
        it(`${host} can be set, and is not called: ${answers.map((all) => all.join(' and ')).join(', then ')}`, async () => {
          const url = `https://${host}:${canary.port()}/callbacks`;
          assert.equal((await set(url)).settings.callbackUrl, url);
          assert.equal(questions.size, 0);
          for (let turn = 0; turn < SENDS; turn += 1) {
            const sent = await send(url);
            assert.equal(sent.httpStatus, null);
            const isPublic = (answers[Math.min(turn, answers.length - 1)] ?? []).join() === '2e00::1';
            if (!isPublic) assert.match(sent.error ?? '', /does not lead to a public internet address/);
            else assert.doesNotMatch(sent.error ?? '', /public internet address/);
          }
          // One resolution for each attempt: there is no second one that could say something else.
          assert.deepEqual([...questions.values()], [SENDS]);
          assert.equal(canary.visits, 0);
        });
      }
    });
  }

  it('do not get anywhere by redirects, even from a receiver that may be called', async () => {
    const receiver = await startReceiver();
    const development = createUrlPolicy({ development: true, ports: [] });
    const sender = createCallbackSender({ policy: development, userAgent: 'Malipo/test' });
    for (const status of [300, 301, 302, 303, 307, 308]) {
      for (const host of canary.hosts) {
        const location = `http://${host}:${canary.port()}/`;
        receiver.react(answering(status, { Location: location, Refresh: `0; url=${location}` }));
        const answer = await sender.send({ url: receiver.url, body: '{}', headers: {} });
        assert.equal('httpStatus' in answer && answer.httpStatus, status);
      }
    }
    assert.equal(canary.visits, 0);
    await development.dispatcher.destroy();
    await receiver.close();
  });

  it('would reach the canary without the guard: development does', async () => {
    const development = createUrlPolicy({ development: true, ports: [] });
    const sender = createCallbackSender({ policy: development, userAgent: 'Malipo/test' });
    for (const host of [...canary.hosts, 'localhost', '2130706433', '127.1', '１２７.０.０.１']) {
      canary.visits = 0;
      const answer = await sender.send({ url: `http://${host}:${canary.port()}/`, body: '{}', headers: {} });
      assert.equal('httpStatus' in answer && answer.httpStatus, 204, host);
      assert.ok(canary.visits > 0, host);
      canary.hangUp();
    }
    await development.dispatcher.destroy();
  });
});

/** Counts TCP connections to one port of 127.0.0.1 and, where the machine has IPv6, of ::1. */
function createCanary() {
  const servers: Server[] = [];
  const sockets = new Set<Socket>();
  const listen = (port: number, host: string) =>
    new Promise<number>((resolve, reject) => {
      const server = createServer((socket) => {
        canary.visits += 1;
        sockets.add(socket.on('error', () => {}).on('close', () => sockets.delete(socket)));
        socket.once('data', () => socket.end('HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n'));
      });
      server.once('error', reject).listen(port, host, () => {
        servers.push(server);
        resolve((server.address() as { port: number }).port);
      });
    });
  let port = 0;
  const canary = {
    visits: 0,
    hosts: ['127.0.0.1'],
    port: () => port,
    async start() {
      port = await listen(0, '127.0.0.1');
      try {
        await listen(port, '::1');
        canary.hosts.push('[::1]');
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') throw error;
        console.log('      NOT TESTED: this machine has no IPv6, so the canary listens on 127.0.0.1 alone');
      }
    },
    hangUp() {
      for (const socket of sockets) socket.destroy();
    },
    async stop() {
      canary.hangUp();
      await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
    },
  };
  return canary;
}
