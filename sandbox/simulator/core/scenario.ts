/**
 * The last three digits of a number choose its request's result, the same in every protocol
 * (docs/sandbox.md). An ending is data: the answer to the create call, and the next steps, which the book
 * keeps.
 */

/** Why the customer's network or bank refuses. Each rail writes it in its own codes. */
export type Refusal =
  | 'limit_reached'
  | 'not_registered'
  /** collection: the customer declined; payout: the account is blocked */
  | 'declined'
  | 'insufficient_funds'
  | 'expired'
  | 'network_error';

export type Step =
  /** the customer's or network's time; milliseconds */
  | { do: 'wait'; ms: number }
  /** until a customer answers the prompt by hand, or it expires */
  | { do: 'ask' }
  /** moves the money, with `surplus` more TZS than asked */
  | { do: 'succeed'; surplus: number }
  | { do: 'fail'; refusal: Refusal }
  | { do: 'notify'; times: number }
  /** until an enquiry was answered with the failure, so that the service has settled it */
  | { do: 'await_failed_enquiry' }
  /** a bank returns a paid payout */
  | { do: 'return' };

/**
 * How the create call is answered. `break` and `server_error`: after the money moved; `drop_first` destroys
 * the first connection and records nothing; `late`: after `slowAnswerMs`; `after_steps`: after all steps.
 */
export type AnswerStyle = 'at_once' | 'break' | 'server_error' | 'drop_first' | 'late' | 'after_steps';

export type Scenario = { answer: AnswerStyle; steps: Step[] };

export type SimulatorTiming = {
  customerMs: number;
  promptMs: number;
  /** how long ending 219 takes to answer */
  slowAnswerMs: number;
  /** from failure to success in endings 199 and 229, at least a customer's answer time */
  lateSuccessMs: number;
};

export type ScenarioOptions = SimulatorTiming & {
  direction: 'in' | 'out';
  /** a bank rail supports returns (ending 239) */
  returns: boolean;
  /** a person, not the simulator, approves ordinary collections */
  manual: boolean;
};

const succeed: Step = { do: 'succeed', surplus: 0 };
const notify: Step = { do: 'notify', times: 1 };
const fail = (refusal: Refusal): Step => ({ do: 'fail', refusal });

/** Ending 209 moves this many TZS too much. */
const WRONG_AMOUNT_SURPLUS = 100;

type Ending = (customer: Step, options: ScenarioOptions) => Scenario;

const refused =
  (refusal: Refusal): Ending =>
  (customer) => ({ answer: 'at_once', steps: [customer, fail(refusal), notify] });

const approved =
  (answer: AnswerStyle = 'at_once', ...notifications: Step[]): Ending =>
  (customer) => ({ answer, steps: [customer, succeed, ...notifications] });

const late = ({ customerMs, lateSuccessMs }: ScenarioOptions): Step => ({
  do: 'wait',
  ms: Math.max(customerMs, lateSuccessMs),
});

const endings: Record<string, Ending> = {
  '019': refused('limit_reached'),
  '029': refused('not_registered'),
  '039': refused('declined'),
  '049': refused('insufficient_funds'),
  '059': (_, { promptMs }) => ({
    answer: 'at_once',
    steps: [{ do: 'wait', ms: promptMs }, fail('expired')],
  }),
  '069': refused('network_error'),
  '129': () => ({ answer: 'at_once', steps: [] }),
  '139': approved('at_once'),
  '149': () => ({ answer: 'break', steps: [succeed] }),
  '159': () => ({ answer: 'server_error', steps: [succeed] }),
  '169': approved('drop_first', notify),
  '179': approved('at_once', { do: 'notify', times: 3 }),
  '189': approved('after_steps', notify),
  '199': (customer, options) => ({
    answer: 'at_once',
    steps: [customer, fail('expired'), notify, late(options), succeed, notify],
  }),
  '209': (customer) => ({
    answer: 'at_once',
    steps: [customer, { do: 'succeed', surplus: WRONG_AMOUNT_SURPLUS }, notify],
  }),
  '219': (customer, { slowAnswerMs }) => ({
    answer: 'late',
    steps: [{ do: 'wait', ms: slowAnswerMs }, customer, succeed, notify],
  }),
  '229': (_, options) => ({
    answer: 'at_once',
    steps: [
      { do: 'wait', ms: options.promptMs },
      fail('expired'),
      { do: 'await_failed_enquiry' },
      late(options),
      succeed,
      notify,
    ],
  }),
};

const paidThenReturned: Ending = (customer, { customerMs }) => ({
  answer: 'at_once',
  steps: [customer, succeed, notify, { do: 'wait', ms: 2 * customerMs }, { do: 'return' }, notify],
});

const RETURNED = '239';

export const specialEndings: readonly string[] = [...Object.keys(endings), RETURNED].sort();

export function endingOf(number: string): string {
  return number.replace(/\D/g, '').slice(-3);
}

export function scenarioOf(number: string, options: ScenarioOptions): Scenario {
  const ending = endingOf(number);
  const customer: Step = { do: 'wait', ms: options.customerMs };
  if (options.returns && ending === RETURNED) return paidThenReturned(customer, options);
  const special = endings[ending];
  if (special) return special(customer, options);
  if (options.manual && options.direction === 'in') return { answer: 'at_once', steps: [{ do: 'ask' }] };
  return approved('at_once', notify)(customer, options);
}

/** These steps follow `ask` after the customer's answer or the expiry. */
export function stepsAfterAnswer(answer: 'approve' | 'decline' | 'expire' | 'cannot_pay'): Step[] {
  if (answer === 'approve') return [succeed, notify];
  if (answer === 'cannot_pay') return [fail('insufficient_funds'), notify];
  return answer === 'decline' ? [fail('declined'), notify] : [fail('expired')];
}

const OTHER_NAMES = ['JUMA HASSAN MWINYI', 'NEEMA JOHN MUSHI', 'GRACE PETER KIMARO'];

/** Returns ASHA JUMA, except for endings 300 to 399; null for 029, which has no owner. */
export function ownerOf(number: string): string | null {
  const ending = endingOf(number);
  if (ending === '029') return null;
  if (!ending.startsWith('3')) return 'ASHA JUMA';
  return OTHER_NAMES[Number(ending) % OTHER_NAMES.length] ?? null;
}

/** Returns true if questions about this number take as long as ending 219. */
export function isSlow(number: string): boolean {
  return endingOf(number) === '219';
}
