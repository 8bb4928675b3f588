import { accessSync, constants } from 'node:fs';
import path from 'node:path';
import puppeteer, { type Browser } from 'puppeteer-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** A Chromium that is installed here (CHROMIUM names another one); undefined where there is none. */
export function findChromium(): string | undefined {
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

/** Headless, and with nothing of its own to ask the internet for. Its sandbox needs a user who is not root. */
export function launch(executablePath: string): Promise<Browser> {
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
