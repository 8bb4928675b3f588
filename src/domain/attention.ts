type Guide = { page: string; todo: string };

const odd = { page: 'suspense.md', todo: 'Two operators decide where the money in suspense goes' };

export const attentionGuides = {
  unknown_outcome: {
    page: 'unknown-outcome.md',
    todo: "A person asks the channel's support, and two operators decide as it answers",
  },
  late_success: odd,
  wrong_amount: odd,
  conflicting_failure: {
    page: 'conflicting-failure.md',
    todo: "A person asks the channel's support which of its answers is true",
  },
  returned: { page: 'returned.md', todo: 'A person tells the merchant why the channel gave it back' },
  settlement_failed: {
    page: 'settlement.md',
    todo: 'A person asks the merchant whether the account is right; the money is in the balance',
  },
  unexpected_payment: {
    page: 'unexpected-payment.md',
    todo: 'A person finds out what was paid for, and two operators decide where the money goes',
  },
  receipt_mismatch: {
    page: 'receipt-mismatch.md',
    todo: 'A person asks the network about its receipt',
  },
  decision_contradicted: {
    page: 'decision-contradicted.md',
    todo: 'A person compares the decision with what the channel said afterwards',
  },
  unusual_volume: {
    page: 'unusual-volume.md',
    todo: "A person compares what came in with the network's own list",
  },
  control_numbers_low: { page: 'control-numbers-low.md', todo: 'A person gives the service another prefix' },
  certificate_ends: {
    page: 'certificate-ends.md',
    todo: 'A person asks the network for the next certificate, and adds it to the configuration',
  },
  turned_away: {
    page: 'reach.md',
    todo: 'A person finds out what answers in place of the network, and why it refuses us',
  },
  callbacks_disabled: {
    page: 'callbacks-disabled.md',
    todo: 'A person asks the merchant to repair the callback URL, and sets it again',
  },
  restored: { page: 'restored.md', todo: 'A person runs recover: nothing is accepted or sent until then' },
  untrusted_submission: {
    page: 'untrusted-submission.md',
    todo: 'A person finds out who, other than the API, starts workflows',
  },
  unproven_row: {
    page: 'unproven-row.md',
    todo: 'A person finds out who, other than our processes, writes to Postgres',
  },
  schema: { page: 'schema.md', todo: 'A person runs the migrations that are missing' },
  overdue: { page: 'overdue.md', todo: 'A person looks at its workflow: it should have ended by now' },
  stuck: { page: 'stuck.md', todo: 'A person looks at its workflow: it fails again and again' },
  broken: { page: 'broken.md', todo: 'A person looks at the step that failed for good' },
} as const satisfies Record<string, Guide>;

export type AttentionReason = keyof typeof attentionGuides;

export const attentionReasons = Object.keys(attentionGuides) as AttentionReason[];

export function pageOf(reason: AttentionReason): string {
  return `docs/operations/${attentionGuides[reason].page}`;
}

/** Says in a workflow why a person is needed, with a link if RUNBOOKS_URL is set. */
export function needOf(reason: AttentionReason, runbooksUrl?: string): string {
  const { todo, page } = attentionGuides[reason];
  const link =
    runbooksUrl === undefined
      ? `\`${pageOf(reason)}\``
      : `[${page}](${runbooksUrl.replace(/\/+$/, '')}/${page})`;
  return `\`${reason}\`: ${todo} (${link})`;
}
