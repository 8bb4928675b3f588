import { setCurrentDetails } from '@temporalio/workflow';
import type { Ended, FlowResult } from '../domain/ending.ts';
import type { FlowInput } from '../domain/operation.ts';

type Shown = {
  readonly input: Pick<FlowInput, 'about' | 'transactionId'>;
  /** operators see this sentence */
  state: string;
  /** the last try to end it returned it */
  known: Ended | undefined;
};

/** Operators read this Markdown in the Temporal UI: money, state and needs, no names or numbers. */
export function showDetails(shown: Shown, state = shown.state): void {
  shown.state = state;
  const { about, transactionId } = shown.input;
  const { paidInPart, needs = [] } = shown.known ?? {};
  const lines = [
    about && `**${about.money}** · ${about.party}`,
    state,
    paidInPart && `Paid: ${paidInPart.paid}. Missing: ${paidInPart.missing}`,
    ...needs.map((need) => `**A person is needed.** ${need}`),
    `All of it: \`malipo find ${transactionId}\``,
  ];
  setCurrentDetails(lines.filter(Boolean).join('\n\n'));
}

/** Temporal and `recover` read this result. */
export function resultOf({ status, failureCode = undefined, proof = undefined }: Ended): FlowResult {
  return { status, failure_code: failureCode ?? null, ...(proof === undefined ? {} : { proof }) };
}

/** Says a final state in words, for operators. */
export function stateOf({ status, failureCode = undefined }: Ended): string {
  return failureCode === undefined ? `It is ${status}` : `It is ${status}: \`${failureCode}\``;
}
