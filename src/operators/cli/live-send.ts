import type { z } from 'zod';
import type { liveSendAnswer } from '../api/case-schemas.ts';
import type { Run } from './context.ts';
import { segment } from './operator-client.ts';

type Answer = z.output<typeof liveSendAnswer>;

/** Refunds only once, even if it is called again, and prints what to check at the network. */
export function showLiveSend(run: Run, proposal: string): Promise<void> {
  return run(async ({ api, print }) => {
    const { parts, state } = await api.post<Answer>(`channels/live-sends/${segment(proposal)}`);
    for (const one of parts) {
      print(
        `${one.what}: ${one.status}, ${one.amount} ${one.currency}, ${one.number}, over ${one.connection}`,
      );
      print(`  ours: ${one.reference} (${one.transaction_id})`);
      print(`  theirs: ${one.channel_reference ?? 'not known yet'}`);
      print(`  handed over: ${one.handed_over_at ?? 'not yet'}, ended: ${one.ended_at ?? 'not yet'}`);
    }
    print(state);
  });
}
