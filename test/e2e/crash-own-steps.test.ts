import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { channelsFile } from '../../sandbox/local/channels.ts';
import { steps } from '../support/stop-at.ts';
import { killedBetweenSteps } from './crashed-worker.ts';
import { payoutTo, pushTo, refundTo } from './own-kinds.ts';

/** Airtel Money over Airtel's protocol, Tigo Pesa over Selcom. */
const folder = mkdtempSync(path.join(os.tmpdir(), 'malipo-own-steps-'));
const file = path.join(folder, 'channels.json');
const own = JSON.parse(readFileSync(channelsFile('own'), 'utf8'));
Object.assign(own.networks['tigo-pesa'], { payments: 'selcom', payouts: 'selcom' });
writeFileSync(file, JSON.stringify(own));

describe('a worker that is killed where the networks’ own protocols differ', () => {
  after(() => rmSync(folder, { recursive: true, force: true }));

  killedBetweenSteps({
    environment: { CHANNELS_FILE: file },
    kinds: {
      'push over Airtel': { ...pushTo('0784'), unsent: 'sent again' },
      'payout over Airtel': { ...payoutTo('0784'), unsent: 'sent again' },
      // Selcom prints no code for a repeated or an unknown reference, so nothing is ever sent to it twice.
      'push over Selcom': { ...pushTo('0654'), unsent: 'for a person' },
      'payout over Selcom': { ...payoutTo('0654'), unsent: 'for a person' },
      'refund over Selcom': { ...refundTo('0654', 'tigo-pesa'), unsent: 'for a person' },
    },
    // What comes before and after is the same over every protocol: the other test kills there.
    steps: steps.slice(steps.indexOf('before recordSend'), steps.indexOf('after end') + 1),
  });
});
