import type { Situations } from '../../domain/situation.ts';
import { paybackStories } from './payback-stories.ts';
import type { FactsInWords, Story } from './words.ts';

export const DONE = () => 'Nothing more happens';
const asked = ({ nextEnquiry }: FactsInWords) => nextEnquiry;
const heldNow = ({ total }: FactsInWords) => `Held: ${total} of the merchant's balance`;
const givenBack = ({ total }: FactsInWords) => `With the merchant: ${total} is back in the available balance`;
const notTaken = () => 'With the customer: nothing was taken';
const credited = ({ settled, fee, refunded }: FactsInWords) =>
  `With the merchant: ${settled} was credited, ${fee} is our fee${refunded}`;
const decidedSoon = () => 'Its workflow reads the decision within seconds, or with the next sweep';
const stillAsked = ({ channel, answer }: FactsInWords) =>
  answer === null ? `${channel} is asked for a week whether the decision was right` : DONE();
const pending = (words: string) => (known: FactsInWords) => `It is pending: ${known.channel} ${words}`;
const decisionOf = ({ decided, answered }: FactsInWords) => `${decided}${answered}`;

const merchants: { [M in Exclude<keyof Situations, 'payable'>]: Record<Situations[M], Story> } = {
  credit: {
    not_sent: {
      state: pending('has not been asked for the prompt yet'),
      money: notTaken,
      next: ({ channel }) =>
        `${channel} is asked as soon as possible; if that takes too long, it fails and nothing is taken`,
    },
    prompted: {
      state: ({ promptEnd }) => `It is pending: the customer has the prompt until ${promptEnd}`,
      money: () => 'With the customer, until the PIN is entered',
      next: ({ channel, nextEnquiry }) => `${channel} reports what the customer did. ${nextEnquiry}`,
    },
    sent: {
      state: pending('has the request but has not reported the outcome'),
      money: () => 'With the customer or on its way to us: nobody knows yet',
      next: asked,
    },
    asking: {
      state: pending('has not reported the outcome'),
      money: () => 'With the customer or on its way to us: nobody knows yet. It may have been paid',
      next: asked,
    },
    unknown: {
      state: pending('did not answer in time'),
      money: ({ uncredited }) => `With the customer or with us: nobody knows. ${uncredited}`,
      next: asked,
    },
    odd_money: {
      state: ({ channel, amount }) =>
        `It is pending: ${channel} moved other money, not the ${amount} that we asked for`,
      money: ({ uncredited }) => uncredited,
      next: asked,
    },
    decided: {
      state: ({ decided }) => `It is pending: ${decided}`,
      money: ({ uncredited }) => `${uncredited} yet`,
      next: decidedSoon,
    },
    stopped: {
      state: () => 'It is pending, but its workflow makes no progress',
      money: ({ uncredited }) => `With the customer or on its way to us. ${uncredited}`,
      next: () => 'The sweep retries it once an hour',
    },
    succeeded: {
      state: ({ party, amount, receipt }) => `It is completed: ${party} paid ${amount}${receipt}`,
      money: credited,
      next: DONE,
    },
    contradicted: {
      state: ({ channel }) => `It is completed, but ${channel} reported a failure afterwards`,
      money: credited,
      next: DONE,
    },
    decided_success: {
      state: (words) => `It is completed: ${decisionOf(words)}`,
      money: credited,
      next: stillAsked,
    },
    failed: { state: ({ failure }) => `It is failed: ${failure}`, money: notTaken, next: DONE },
    moved_late: {
      state: ({ ended, channel }) => `It is ${ended}, but ${channel} took the customer's money anyway`,
      money: ({ uncredited }) => `${uncredited} for it`,
      next: DONE,
    },
    decided_failure: {
      state: (words) => `It is failed: ${decisionOf(words)}`,
      money: ({ uncredited }) => `With the customer, as operators decided. ${uncredited}`,
      next: stillAsked,
    },
    cancelled: {
      state: () => 'The merchant cancelled it before the customer was asked',
      money: notTaken,
      next: DONE,
    },
  },
  hold: {
    not_sent: {
      state: pending('has not been asked to pay yet'),
      money: heldNow,
      next: ({ channel }) =>
        `${channel} is asked as soon as possible; if that takes too long, it fails and the money goes back`,
    },
    waiting: {
      state: ({ channel, waitEnd }) =>
        `It is pending: ${channel} is not available, and it waits until ${waitEnd}`,
      money: heldNow,
      next: ({ channel }) =>
        `${channel} is asked when it works again; after that time it fails and the money goes back`,
    },
    sent: {
      state: pending('has the order but has not confirmed it'),
      money: (words) => `${heldNow(words)}; the recipient may have it already`,
      next: asked,
    },
    asking: {
      state: pending('has not reported the outcome'),
      money: (words) => `${heldNow(words)}; the recipient may have it already`,
      next: asked,
    },
    unknown: {
      state: pending('did not answer in time'),
      money: (words) => `${heldNow(words)}; nobody knows whether the recipient has it`,
      next: asked,
    },
    odd_money: {
      state: ({ channel, amount }) =>
        `It is pending: ${channel} moved other money, not the ${amount} that we ordered`,
      money: heldNow,
      next: asked,
    },
    decided: { state: ({ decided }) => `It is pending: ${decided}`, money: heldNow, next: decidedSoon },
    stopped: {
      state: () => 'It is pending, but its workflow makes no progress',
      money: heldNow,
      next: () => 'The sweep retries it once an hour',
    },
    succeeded: {
      state: ({ channel, amount, party, receipt }) =>
        `It is paid: ${channel} paid ${amount} to ${party}${receipt}`,
      money: ({ total, fee }) =>
        `With the recipient: ${total} was taken from the merchant, ${fee} of it is our fee`,
      next: DONE,
    },
    returned: {
      state: ({ returned }) => `It is paid, but ${returned}`,
      money: ({ amount, fee }) =>
        `With the merchant again: ${amount} is back in the available balance, our fee of ${fee} is not`,
      next: () => 'Nothing more happens: it is not sent again',
    },
    contradicted: {
      state: ({ channel }) => `It is paid, but ${channel} reported a failure afterwards`,
      money: ({ total }) => `Taken from the merchant: ${total}. Nobody knows whether the recipient has it`,
      next: DONE,
    },
    decided_success: {
      state: (words) => `It is paid: ${decisionOf(words)}`,
      money: ({ total }) => `With the recipient, as operators decided: ${total} was taken from the merchant`,
      next: stillAsked,
    },
    failed: { state: ({ failure }) => `It is failed: ${failure}`, money: givenBack, next: DONE },
    moved_late: {
      state: ({ ended, channel }) => `It is ${ended}, but ${channel} paid the recipient anyway`,
      money: givenBack,
      next: DONE,
    },
    decided_failure: {
      state: (words) => `It is failed: ${decisionOf(words)}`,
      money: givenBack,
      next: stillAsked,
    },
    cancelled: {
      state: () => 'The merchant cancelled it before it was sent',
      money: givenBack,
      next: DONE,
    },
  },
  credit_each_payment: {
    unpaid: {
      state: ({ bill, amount }) => `It is pending: nobody has paid ${bill} (${amount})`,
      money: notTaken,
      next: ({ billEnd }) => `It can be paid until ${billEnd}; then it fails as expired`,
    },
    part_paid: {
      state: ({ paid, amount, outstanding }) =>
        `It is pending: ${paid} of ${amount} is paid, ${outstanding} is missing`,
      money: ({ paid, refunded }) =>
        `With the merchant: each payment was credited when it came, ${paid} less our fees${refunded}`,
      next: ({ billEnd }) =>
        `The rest can be paid until ${billEnd}; ` +
        'then it ends as partially paid, and the merchant keeps what was paid',
    },
    closing: {
      state: () => 'It is pending: the time to pay it is over, and it is being closed',
      money: ({ paid, refunded }) =>
        `What was paid in time (${paid}) was credited to the merchant, less our fees${refunded}`,
      next: () =>
        'Its workflow ends it within seconds; ' +
        'if the amount of a payment cannot be read, two operators must set it first',
    },
    stopped: {
      state: () => 'It is pending, but its workflow makes no progress',
      money: ({ paid, refunded }) =>
        `What was paid (${paid}) was credited to the merchant, less our fees${refunded}`,
      next: () => 'The sweep retries it once an hour',
    },
    succeeded: {
      state: ({ bill, paid, party, receipt }) =>
        `It is completed: ${bill} received ${paid}, the last payment from ${party}${receipt}`,
      money: credited,
      next: DONE,
    },
    expired: {
      state: ({ bill, failure }) => `It is failed: ${failure}. Nobody paid ${bill} in time`,
      money: notTaken,
      next: DONE,
    },
    expired_part_paid: {
      state: ({ paid, amount, failure }) => `It is failed: ${failure}. ${paid} of ${amount} was paid`,
      money: ({ paid, refunded }) =>
        `With the merchant, who keeps what was paid: ${paid} less our fees${refunded}`,
      next: DONE,
    },
    cancelled: {
      state: ({ bill }) => `The merchant cancelled it before anybody paid ${bill}`,
      money: notTaken,
      next: DONE,
    },
  },
};

export const stories: { [M in keyof Situations]: Record<Situations[M], Story> } = {
  ...merchants,
  payable: paybackStories(merchants.hold),
};
