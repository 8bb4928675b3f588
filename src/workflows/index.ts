export { payout } from './payout.ts';
export { sweep } from './sweep.ts';
export { ussdPush } from './ussd-push.ts';
