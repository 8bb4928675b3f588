import assert from 'node:assert/strict';
import { useDeskPeople } from './desk-people.ts';

/** A slow line, and what it brings in the 0.6 s that one question and its answer leave of a second. */
const KBIT_S = 400;
const FIRST_PAINT_BYTES_MAX = 30_000;

describe('the desk on a slow line', function () {
  this.timeout(240_000);
  const { desk, people } = useDeskPeople();

  it('is one file a page, small enough for a first paint within a second', async () => {
    const page = await people().asha.browserContext().newPage();
    await page.setJavaScriptEnabled(false);
    const session = await page.createCDPSession();
    await session.send('Network.enable');
    await session.send('Network.setCacheDisabled', { cacheDisabled: true });
    const throughput = KBIT_S * 125;
    const line = {
      offline: false,
      latency: 200,
      downloadThroughput: throughput,
      uploadThroughput: throughput,
    };
    await session.send('Network.emulateNetworkConditions', line);
    const asked: string[] = [];
    let bytes = 0;
    session.on('Network.requestWillBeSent', ({ request }) => {
      // What stands in the page itself is no file.
      if (!request.url.startsWith('data:')) asked.push(request.url);
    });
    session.on('Network.loadingFinished', ({ encodedDataLength }) => {
      bytes += encodedDataLength;
    });
    for (const path of ['', 'attention', 'suspense', 'proposals', 'networks', 'audit']) {
      asked.length = 0;
      bytes = 0;
      await page.goto(`${desk.url}/desk${path && `/${path}`}`, { waitUntil: 'networkidle0' });
      assert.deepEqual(asked, [page.url()]);
      // Bytes and no time: how long they take is the line's, how busy this machine is would be the test's.
      assert.ok(bytes < FIRST_PAINT_BYTES_MAX, `${path} is ${bytes} bytes`);
    }
    await page.close();
  });
});
