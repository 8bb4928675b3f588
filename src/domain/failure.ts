import type { FailureCode } from './failure-code.ts';
import { type Message, say } from './messages.ts';

export { type FailureCode, failureCodes } from './failure-code.ts';

/** Merchants read this beside the code; a channel's own text never reaches them. */
export function failureReasonOf(code: FailureCode): Message {
  return say(`failure_${code}`);
}
