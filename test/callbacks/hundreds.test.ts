// tests: slow
import assert from 'node:assert/strict';
import { createCallbackSender, type Sent } from '../../src/callbacks/send.ts';
import { until } from '../support/wait.ts';
import { urlPolicy } from './delivery.ts';
import { type Receiver, startReceiver } from './receiver.ts';

/** With five places each they would hold all there are, and more. */
const HANGING = 200;
const IN_FLIGHT_MAX = 600;
const HEALTHY = 60;

describe('hundreds of URLs that hang', function () {
  this.timeout(60_000);
  let receiver: Receiver;
  before(async () => {
    receiver = await startReceiver();
    receiver.react((response, { path }) => {
      if (path.startsWith('/healthy')) response.end();
    });
  });
  after(() => receiver.close());

  it('keep no callback of another URL waiting, when they begin to hang and when they are known to', async () => {
    const sender = createCallbackSender({
      policy: urlPolicy,
      userAgent: 'Malipo/test',
      inFlightMax: IN_FLIGHT_MAX,
      timeoutMs: 3_000,
    });
    const send = (path: string) =>
      sender.send({ url: new URL(path, receiver.url).href, body: '{}', headers: {} });
    const hung = new Set<string>();
    let isOver = false;
    /** One after the other, while it is given places. */
    const hang = async (path: string) => {
      while (!isOver && !('busy' in (await send(path)))) hung.add(path);
    };
    const hanging = Array.from({ length: HANGING }, (_, at) => `/hangs/${at}`);
    const lanes = hanging.flatMap((path) => Array.from({ length: 5 }, () => hang(path)));
    const others = async () => {
      const answers = await Promise.all(Array.from({ length: HEALTHY }, (_, at) => send(`/healthy/${at}`)));
      assert.deepEqual(
        answers.filter((answer) => !('busy' in answer) && answer.httpStatus === 200).length,
        HEALTHY,
        JSON.stringify(answers.find((answer) => 'busy' in answer || (answer as Sent).httpStatus !== 200)),
      );
    };
    await until(() => receiver.received.length >= HANGING, 'each of them has a callback');
    await others();
    await until(() => hung.size === HANGING, { deadlineMs: 30_000, what: 'each has let one time out' });
    await others();
    isOver = true;
    await Promise.all(lanes);
  });
});
