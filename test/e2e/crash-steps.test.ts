import { kinds } from '../support/gateway.ts';
import { steps } from '../support/stop-at.ts';
import { killedBetweenSteps } from './crashed-worker.ts';
import { refundTo } from './own-kinds.ts';

describe('a worker that is killed between any two steps', () => {
  killedBetweenSteps({
    kinds: {
      push: { ...kinds.push, unsent: 'sent again' },
      'mobile payout': { ...kinds['mobile payout'], unsent: 'sent again' },
      'bank payout': { ...kinds['bank payout'], unsent: 'sent again' },
      refund: { ...refundTo('0754', 'm-pesa'), unsent: 'sent again' },
    },
    steps,
  });
});
