import type { feeList } from '../../../contract/fee-schemas.ts';
import type { Examples } from '../../../contract/json-of.ts';

const all = { from: 0, to: null, fixed: 0, basis_points: 0, min: 0, max: null };
const payouts = {
  tiers: [
    { ...all, to: 9999, fixed: 400 },
    { ...all, from: 10000, fixed: 1000 },
  ],
};
const fees = {
  ussd: { tiers: [{ ...all, basis_points: 200, min: 10 }] },
  qr: { tiers: [{ ...all, basis_points: 100, min: 10 }] },
  billpay: { tiers: [{ ...all, basis_points: 150, min: 10 }] },
  number: { tiers: [{ ...all, basis_points: 150, min: 10 }] },
  top_up: { tiers: [{ ...all, max: 0 }] },
  mobile: payouts,
  refund: payouts,
  bank: { tiers: [{ ...all, fixed: 2360 }] },
  settlement: { tiers: [{ ...all, fixed: 2360 }] },
};
const found = {
  success: true as const,
  message: 'Fees retrieved successfully',
  fees,
  version: '2025-01',
  effective_from: '2025-01-01T00:00:00.000000Z',
};

export const feeAnswers = {
  fees: found,
  announced: {
    ...found,
    next: {
      fees: { ...fees, bank: { tiers: [{ ...all, fixed: 2000 }] } },
      version: '2027-01',
      effective_from: '2026-12-31T21:00:00.000000Z',
    },
  },
} satisfies Examples<typeof feeList>;
