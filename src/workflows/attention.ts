import { CancellationScope, condition, setHandler, upsertSearchAttributes } from '@temporalio/workflow';
import { entryClosed, searchAttributes } from './messages.ts';

/**
 * Shows an open entry of the attention list in the Temporal UI: it carries `Attention = true` until the entry is closed.
 * It does nothing else, so one that a stranger starts does nothing either. The sweep starts it and says when it is over.
 */
export async function attention(): Promise<void> {
  let isClosed = false;
  setHandler(entryClosed, () => {
    isClosed = true;
  });
  // Cancelling it closes no entry.
  await CancellationScope.nonCancellable(() => condition(() => isClosed));
  // A closed workflow keeps its search attributes for ever.
  upsertSearchAttributes([{ key: searchAttributes.attention, value: false }]);
}
