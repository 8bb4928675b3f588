import { accessSync, constants } from 'node:fs';
import path from 'node:path';
import puppeteer, { type Browser, type Page } from 'puppeteer-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** A Chromium that is installed here (CHROMIUM names another one); undefined where there is none. */
function findChromium(): string | undefined {
  const folders = (process.env.PATH ?? '').split(path.delimiter);
  const candidates = [
    ...(process.env.CHROMIUM ? [process.env.CHROMIUM] : []),
    ...folders.flatMap((folder) => NAMES.map((name) => path.join(folder, name))),
  ];
  return candidates.find((candidate) => {
    try {
      accessSync(candidate, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** A browser for a measurement, which is nothing without one. */
export async function launchChromium(): Promise<Browser> {
  const chromium = findChromium();
  if (chromium === undefined) throw new Error('No Chromium is installed here');
  return launch(chromium);
}

/** Headless, and with nothing of its own to ask the internet for. Its sandbox needs a user who is not root. */
function launch(executablePath: string): Promise<Browser> {
  return puppeteer.launch({
    executablePath,
    args: [
      '--disable-background-networking',
      '--disable-component-update',
      '--no-first-run',
      '--disable-dev-shm-usage',
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
    ],
    defaultViewport: { width: 1280, height: 1600 },
  });
}

/** What a page asked for, and what it or its browser complained about. */
export type Watched = { page: Page; requested: string[]; complaints: string[] };

export async function openWatched(browser: Browser): Promise<Watched> {
  const page = await browser.newPage();
  const requested: string[] = [];
  const complaints: string[] = [];
  page.on('request', (request) => requested.push(request.url()));
  page.on('requestfailed', (request) => complaints.push(`failed: ${request.url()}`));
  page.on('console', (message) => {
    if (['error', 'warn'].includes(message.type())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  return { page, requested, complaints };
}

/** The browser of a test; without a Chromium the tests that need it are left out, with a loud line. */
export async function launchOrSkip(test: Mocha.Context, what: string): Promise<Browser> {
  const chromium = findChromium();
  if (chromium !== undefined) return launch(chromium);
  console.error(`\n  NOT TESTED: ${what} in a browser, because no Chromium is installed here\n`);
  return test.skip();
}
