import { MIXX_PATHS } from '../../../sandbox/simulator/mixx/common.ts';
import { mixxSettings } from '../../../src/channels/mixx/settings.ts';
import { writeCommand } from '../../../src/channels/mixx/wire.ts';
import { type Answer, PAYOUT, type ScriptedAnswer, useNetwork } from '../scripted.ts';
import { mixxAccount, mixxChannelOf } from './account.ts';

export const { token: TOKEN } = MIXX_PATHS;
/** Our push, as Mixx calls it. */
export const WIRE = 'SIMB0000000000000001';

type Settings = { now?: () => number; gate?: 'front' } & Parameters<typeof mixxAccount>[1];

/** T1, T2 … are its tokens, in each test. */
export function useMixx() {
  let tokens = 0;
  beforeEach(() => {
    tokens = 0;
  });
  return useNetwork({
    paths: {
      push: MIXX_PATHS.push,
      payout: MIXX_PATHS.payout,
      'push?': MIXX_PATHS.status,
      'payout?': MIXX_PATHS.status,
    },
    besides: {
      [TOKEN]: () => {
        tokens += 1;
        return { body: { access_token: `T${tokens}`, token_type: 'bearer', expires_in: 86_399 } };
      },
    },
    channelOf: (url, { now, gate, ...changes }: Settings) =>
      mixxChannelOf(mixxSettings.parse(mixxAccount(url, changes)), now, gate),
  });
}

export const pushed = (code: string, changes: object = {}): ScriptedAnswer => ({
  body: { ResponseCode: code, ResponseStatus: code.endsWith('-S'), ReferenceID: WIRE, ...changes },
});
export const paid = (status: string, reference = PAYOUT) => ({
  body: writeCommand(
    'REQMFCI',
    Object.entries({ REFERENCEID: reference, TXNID: 'X1', TXNSTATUS: status, MESSAGE: 'm' }),
  ),
});
export const statusOf = (elements: Record<string, string>): Answer => {
  const all = { RESULTCODE: '0', TXNID: 'X1', EXTERNALREFID: PAYOUT, ...elements };
  return { body: writeCommand('MTPGGetSODetails', Object.entries(all)) };
};
