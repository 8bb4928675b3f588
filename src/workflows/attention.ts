import { CancellationScope, condition, setHandler, upsertSearchAttributes } from '@temporalio/workflow';
import { entryClosed, searchAttributes } from './messages.ts';

/** Shows an open entry in the Temporal UI by `Attention = true`. The sweep starts and ends it. */
export async function attention(): Promise<void> {
  let isClosed = false;
  setHandler(entryClosed, () => {
    isClosed = true;
  });
  // Cancelling the workflow must not close the entry.
  await CancellationScope.nonCancellable(() => condition(() => isClosed));
  // A closed workflow keeps its search attributes, so set it to false.
  upsertSearchAttributes([{ key: searchAttributes.attention, value: false }]);
}
