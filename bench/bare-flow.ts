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
  end(id: string): Promise<void>;
  /** over at once; the customer's answer is a signal */
  requestPush(id: string): Promise<void>;
  /** open until the customer has answered */
  pushUntilAnswered(id: string): Promise<void>;
  deliverCallback(id: string): Promise<void>;
};

export const submit = defineUpdate<string>('submit');
export const notified = defineSignal('notified');

const local = proxyLocalActivities<BareActivities>({ startToCloseTimeout: '3s' });
const send = proxyActivities<BareActivities>({
  taskQueue: 'bench-channel',
  startToCloseTimeout: '20s',
  retry: { maximumAttempts: 1 },
});
const callback = proxyActivities<BareActivities>({
  taskQueue: 'bench-callbacks',
  startToCloseTimeout: '30s',
});
const status = defineSearchAttributeKey('TransactionStatus', SearchAttributeType.KEYWORD);

/**
 * The steps of a USSD push, with nothing in them: what Temporal alone costs (2 workflow tasks, 17 events). A push itself
 * ends and notifies in one step; this one stays as it is, so that figures compare.
 */
export async function bareFlow(id: string): Promise<string> {
  const accepted = answerSubmissions(() => local.accept(id));
  await accepted;
  await send.pushUntilAnswered(id);
  await local.end(id);
  upsertSearchAttributes([{ key: status, value: 'completed' }]);
  await local.deliverCallback(id);
  await condition(allHandlersFinished);
  return 'completed';
}

/** A push as it was once, kept to compare with figures of then: 4 workflow tasks, 28 events. */
export async function signalledFlow(id: string): Promise<string> {
  let isNotified = false;
  setHandler(notified, () => {
    isNotified = true;
  });
  await answerSubmissions(() => local.accept(id));
  await send.requestPush(id);
  await condition(() => isNotified, '5 minutes');
  await local.end(id);
  upsertSearchAttributes([{ key: status, value: 'completed' }]);
  await callback.deliverCallback(id);
  await condition(allHandlersFinished);
  return 'completed';
}

function answerSubmissions(accept: () => Promise<string>): Promise<string> {
  let answer: string | undefined;
  setHandler(submit, async () => {
    await condition(() => answer !== undefined);
    return answer ?? '';
  });
  return accept().then((accepted) => {
    answer = accepted;
    return accepted;
  });
}
