import type { Situations } from '../../domain/situation.ts';
import type { FactsInWords, Story } from './words.ts';

const payable = ({ amount }: FactsInWords) =>
  `On its way back to the payer: ${amount} from suspense is payable`;
const backInSuspense = ({ amount }: FactsInWords) => `In suspense again: the item of ${amount} is open`;
const withThePayer = ({ amount, cameBack, channel }: FactsInWords) =>
  cameBack ? `${channel} gave it back: it is now a separate item` : `With the payer: ${amount} left suspense`;

type Stories = Record<Situations['payable'], Story>;

/** A payback differs from a payout in the money's source, and in where it goes after a failure. */
export function paybackStories(payout: Stories): Stories {
  const onItsWay = (story: Story): Story => ({ ...story, money: payable });
  const paid = (story: Story): Story => ({ ...story, money: withThePayer });
  const open = (story: Story): Story => ({ ...story, money: backInSuspense });
  return {
    not_sent: {
      ...onItsWay(payout.not_sent),
      next: ({ channel }) =>
        `${channel} is asked as soon as possible; if that takes too long, it fails and its item reopens`,
    },
    waiting: {
      ...onItsWay(payout.waiting),
      next: ({ channel }) =>
        `${channel} is asked when it works again; after that time it fails and its item reopens`,
    },
    sent: onItsWay(payout.sent),
    asking: onItsWay(payout.asking),
    unknown: onItsWay(payout.unknown),
    odd_money: onItsWay(payout.odd_money),
    decided: onItsWay(payout.decided),
    stopped: onItsWay(payout.stopped),
    succeeded: paid(payout.succeeded),
    contradicted: {
      ...payout.contradicted,
      money: ({ amount }) => `Taken from suspense: ${amount}. Nobody knows whether the payer has it`,
    },
    decided_success: paid(payout.decided_success),
    failed: open(payout.failed),
    moved_late: open(payout.moved_late),
    decided_failure: open(payout.decided_failure),
    cancelled: { ...open(payout.cancelled), state: () => 'It was cancelled before it was sent' },
  };
}
