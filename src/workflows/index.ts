export { attention } from './attention.ts';
export { billOrder } from './bill-order.ts';
export { payout } from './payout.ts';
export { qrPayment } from './qr-payment.ts';
export { reportResult } from './report-result.ts';
export { resendCallback } from './resend-callback.ts';
export { sweep } from './sweep.ts';
export { ussdPush } from './ussd-push.ts';
