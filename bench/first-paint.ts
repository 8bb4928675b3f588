import type { Browser, CDPSession, Page } from 'puppeteer-core';
import { launchChromium } from '../test/browser/chromium.ts';
import { newKey, pushBody } from '../test/support/gateway.ts';
import { type Figure, median, rounded } from './load.ts';
import type { Stack } from './stack.ts';

const KBITS = [400, 50];
const LATENCY_MS = 300;
const TIMES = 5;
const BYTES_PER_KBIT = 125;

/** How long three pages take on slow lines, each time in a browser that knows none of them. */
export async function firstPaint(stack: Stack): Promise<Figure> {
  const body = { amount: 25_000, payment_number: newKey(), description: 'Ada ya shule' };
  const bill = await stack.request('POST', 'payments/billpay', { body });
  const push = await stack.created('payments/ussd', { key: newKey(), body: pushBody() });
  const paid = await stack.outcome('payments', push);
  const addresses = [
    ['quickstart of the docs', `${stack.local.api_url}/docs/quickstart`],
    ['page to pay on', bill.json.pay_url],
    ['receipt', paid.receipt_url],
  ];
  const browser = await launchChromium();
  const rows: Figure['rows'] = [];
  try {
    for (const [name, address] of addresses)
      for (const kbits of KBITS) {
        const loads: Load[] = [];
        for (let time = 0; time < TIMES; time += 1) loads.push(await load(browser, address, kbits));
        const seconds = loads.map((one) => one.paintMs / 1_000);
        const [first] = loads;
        rows.push([
          `${name}, ${kbits} kbit/s`,
          rounded(median(seconds), 2),
          `${rounded(Math.min(...seconds), 2)} to ${rounded(Math.max(...seconds), 2)}`,
          first?.requests ?? 0,
          rounded((first?.bytes ?? 0) / 1_024),
        ]);
      }
  } finally {
    await browser.close();
  }
  return {
    title: `First paint with text, ${LATENCY_MS} ms latency (median of ${TIMES}, no cache)`,
    columns: ['', 'seconds', 'from, to', 'requests', 'KiB as sent'],
    rows,
  };
}

type Load = { paintMs: number; requests: number; bytes: number };

async function load(browser: Browser, address: string, kbits: number): Promise<Load> {
  const context = await browser.createBrowserContext();
  try {
    const page = await context.newPage();
    const session = await page.createCDPSession();
    const sent = await slowLine(session, kbits);
    const answer = await page.goto(address, { waitUntil: 'networkidle0', timeout: 120_000 });
    if (answer?.status() !== 200) throw new Error(`${address} was answered ${answer?.status()}`);
    return { paintMs: await paintOf(page), ...sent };
  } finally {
    await context.close();
  }
}

/** What is asked for over the line is counted as it comes. */
async function slowLine(session: CDPSession, kbits: number): Promise<Omit<Load, 'paintMs'>> {
  const sent = { requests: 0, bytes: 0 };
  const throughput = kbits * BYTES_PER_KBIT;
  await session.send('Network.enable');
  await session.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: LATENCY_MS,
    downloadThroughput: throughput,
    uploadThroughput: throughput,
  });
  session.on('Network.requestWillBeSent', ({ request }) => {
    if (!request.url.startsWith('data:')) sent.requests += 1;
  });
  session.on('Network.loadingFinished', ({ encodedDataLength }) => {
    sent.bytes += encodedDataLength;
  });
  return sent;
}

/** Milliseconds from the request to the first text on the screen. */
async function paintOf(page: Page): Promise<number> {
  const ms = await page.evaluate(
    'performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? null',
  );
  if (typeof ms !== 'number') throw new Error(`${page.url()} has painted nothing`);
  return ms;
}
