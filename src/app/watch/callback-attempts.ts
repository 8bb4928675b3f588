import type { CallbackSender } from '../../callbacks/send.ts';
import type { Metrics } from '../../platform/process/metrics.ts';

/** Counts how each attempt ended, except those skipped because their receiver had no free place. */
export function countAttempts(sender: CallbackSender, metrics: Pick<Metrics, 'counterOf'>): CallbackSender {
  const count = metrics.counterOf({
    name: 'callback_attempts_total',
    help: 'Attempts to deliver callbacks: taken (2xx), refused (any other status), unanswered',
    label: 'outcome',
    values: ['taken', 'refused', 'unanswered'],
  });
  return {
    async send(message) {
      const sent = await sender.send(message);
      if (!('busy' in sent)) count(outcomeOf(sent.httpStatus));
      return sent;
    },
  };
}

function outcomeOf(status: number | null): 'taken' | 'refused' | 'unanswered' {
  if (status === null) return 'unanswered';
  return status >= 200 && status < 300 ? 'taken' : 'refused';
}
