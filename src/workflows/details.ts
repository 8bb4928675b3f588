import { setCurrentDetails } from '@temporalio/workflow';
import type { Ended, FlowResult } from '../domain/ending.ts';
import type { FlowInput } from '../domain/operation.ts';
import { TIMES } from './messages.ts';

type Shown = {
  readonly input: Pick<FlowInput, 'about' | 'transactionId'>;
  state: string;
  known: Ended | undefined;
};

/** Markdown for operators in the Temporal UI, which shows three lines. Contains no names or numbers. */
export function showDetails(shown: Shown, state = shown.state): void {
  shown.state = state;
  const { about, transactionId } = shown.input;
  const { paidInPart, needs = [] } = shown.known ?? {};
  const find = `\`malipo find ${transactionId}\``;
  const lines = [
    about ? `**${about.money}** · ${about.party} · ${find}` : find,
    state,
    paidInPart && `Paid: ${paidInPart.paid}. Missing: ${paidInPart.missing}`,
    ...needs.map((need) => `**A person is needed.** ${need}`),
    TIMES,
  ];
  setCurrentDetails(lines.filter(Boolean).join('\n\n'));
}

/** Temporal and `recover` read this result. */
export function resultOf({ status, failureCode = undefined, proof = undefined }: Ended): FlowResult {
  return { status, failure_code: failureCode ?? null, ...(proof === undefined ? {} : { proof }) };
}

export function stateOf({ status, failureCode = undefined }: Ended): string {
  return failureCode === undefined ? `It is ${status}` : `It is ${status}: \`${failureCode}\``;
}
