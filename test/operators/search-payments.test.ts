import assert from 'node:assert/strict';
import { paymentsMeant } from '../../src/operators/search/payments-meant.ts';

/** A minute after midnight in Dar es Salaam. */
const now = new Date('2026-11-25T21:01:00Z');

describe('an amount that somebody has in hand', () => {
  for (const [text, meant] of [
    ['25,000 today', { amount: '25000', from: '2026-11-26', to: '2026-11-27' }],
    ['25000 26/11', { amount: '25000', from: '2026-11-26', to: '2026-11-27' }],
    ['25000 27/11', { amount: '25000', from: '2025-11-27', to: '2025-11-28' }],
    ['25,000.50 TZS yesterday', { amount: '25000.50', from: '2026-11-25', to: '2026-11-26' }],
    ['25,000 M-Pesa', { amount: '25000', network: 'm-pesa' }],
    [
      '25,000/= airtel money 2026-11-20',
      { amount: '25000', network: 'airtel-money', from: '2026-11-20', to: '2026-11-21' },
    ],
  ] as const)
    it(`with a day or a network is a list of payments: ${text}`, () => {
      assert.deepEqual(paymentsMeant(text, now), meant);
    });

  for (const text of [
    '25000',
    '0754 000 149',
    '25,000 31/2',
    '25,000 nobody',
    '25000 today yesterday',
    'CKL5 today',
    '25,00 today',
  ])
    it(`is nothing else: ${text}`, () => assert.equal(paymentsMeant(text, now), null));
});
