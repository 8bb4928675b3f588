import { MIXX_PATHS } from '../../../sandbox/simulator/mixx/common.ts';
import { mixxSettings } from '../../../src/channels/mixx/settings.ts';
import type { Channel } from '../../../src/domain/channel.ts';
import { openScriptedServer, type ScriptedAnswer } from '../../support/scripted-server.ts';
import { mixxAccount, mixxChannelOf } from './account.ts';

type ScriptedMixx = {
  server: Awaited<ReturnType<typeof openScriptedServer>>;
  /** a new one for each test, without a token */
  channel: Channel;
  /** what the channel takes for the time, in ms */
  clock: number;
  /** what a request for a token is answered with; T1, T2 … unless a test says otherwise */
  token: () => ScriptedAnswer;
  /** what everything else is answered with */
  next: ScriptedAnswer | (() => ScriptedAnswer | Promise<ScriptedAnswer>);
};

/** A Mixx that answers what a test tells it to, and a channel that speaks to it. */
export function useScriptedMixx(): ScriptedMixx {
  const mixx = {} as ScriptedMixx;
  before(async () => {
    mixx.server = await openScriptedServer(({ path }) => {
      if (path === MIXX_PATHS.token) return mixx.token();
      return typeof mixx.next === 'function' ? mixx.next() : mixx.next;
    });
  });
  after(() => mixx.server.close());
  beforeEach(() => {
    let tokens = 0;
    mixx.clock = 1_700_000_000_000;
    mixx.token = () => {
      tokens += 1;
      return {
        body: JSON.stringify({ access_token: `T${tokens}`, token_type: 'bearer', expires_in: 86_399 }),
      };
    };
    mixx.server.asked.length = 0;
    mixx.channel = mixxChannelOf(mixxSettings.parse(mixxAccount(mixx.server.url)), () => mixx.clock);
  });
  return mixx;
}
