import type { z } from 'zod';
import type { liveSendAnswer } from '../api/case-schemas.ts';
import { CommandError } from './command-error.ts';
import type { Run } from './context.ts';
import { segment } from './operator-client.ts';
import { propose } from './proposals.ts';

export type LiveOptions = { liveSend?: string[]; liveResult?: string; reason?: string };
type Answer = z.output<typeof liveSendAnswer>;

/** A connection tried with real money, the least there is (docs/operations/going-live.md). */
export function proposeLiveSend(run: Run, { liveSend = [], reason }: LiveOptions): Promise<void> {
  return run((context) => {
    const [account_id, number, ...more] = liveSend;
    if (account_id === undefined || number === undefined || more.length > 0)
      throw new CommandError('Name an account of ours and your phone: --live-send <account> <number>.');
    if (reason === undefined) throw new CommandError('Say why: --reason <text>.');
    return propose(context, { action: 'channels.live-send', payload: { account_id, number }, reason });
  });
}

/** Refunds what was paid, once however often it is asked for, and prints what to look for at the network. */
export function showLiveSend(run: Run, proposal: string): Promise<void> {
  return run(async ({ api, print }) => {
    const { parts, state } = await api.post<Answer>(`channels/live-sends/${segment(proposal)}`);
    for (const one of parts) {
      print(
        `${one.what}: ${one.status}, ${one.amount} ${one.currency}, ${one.number}, over ${one.connection}`,
      );
      print(`  ours: ${one.reference} (${one.transaction_id})`);
      print(`  theirs: ${one.channel_reference ?? 'not told yet'}`);
      print(`  handed over: ${one.handed_over_at ?? 'not yet'}, ended: ${one.ended_at ?? 'not yet'}`);
    }
    print(state);
  });
}
