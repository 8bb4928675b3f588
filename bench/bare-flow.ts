import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import {
  allHandlersFinished,
  condition,
  defineSignal,
  defineUpdate,
  proxyActivities,
  proxyLocalActivities,
  setHandler,
  upsertSearchAttributes,
} from '@temporalio/workflow';

export type BareActivities = {
  accept(id: string): Promise<string>;
  settle(id: string): Promise<void>;
  requestPush(id: string): Promise<void>;
  deliverCallback(id: string): Promise<void>;
};

export const submit = defineUpdate<string>('submit');
export const notified = defineSignal('notified');

const local = proxyLocalActivities<BareActivities>({ startToCloseTimeout: '3s' });
const send = proxyActivities<BareActivities>({ taskQueue: 'bench-channel', startToCloseTimeout: '20s' });
const callback = proxyActivities<BareActivities>({
  taskQueue: 'bench-callbacks',
  startToCloseTimeout: '30s',
});
const status = defineSearchAttributeKey('TransactionStatus', SearchAttributeType.KEYWORD);

/**
 * The steps of a USSD push with nothing in them: what Temporal alone costs (4 workflow tasks, 28 events: what a push
 * had once, kept to compare with).
 */
export async function bareFlow(id: string): Promise<string> {
  let accepted: string | undefined;
  let isNotified = false;
  setHandler(submit, async () => {
    await condition(() => accepted !== undefined);
    return accepted ?? '';
  });
  setHandler(notified, () => {
    isNotified = true;
  });
  accepted = await local.accept(id);
  await send.requestPush(id);
  await condition(() => isNotified, '5 minutes');
  await local.settle(id);
  upsertSearchAttributes([{ key: status, value: 'completed' }]);
  await callback.deliverCallback(id);
  await condition(allHandlersFinished);
  return 'completed';
}
