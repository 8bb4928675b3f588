import type { z } from 'zod';
import type { batchAnswer, batchItemList, batchList } from '../../../contract/batch-schemas.ts';
import type { Examples } from '../../../contract/json-of.ts';

const ID = '7b1d9f0a-2c4f-5a1c-8e6b-0d4d7f9a3c5e';
const HASH = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';
const asha = {
  phone_number: '0754123456',
  full_name: 'Asha Juma',
  amount: 250000,
  currency: 'TZS',
  reference: 'EMP-017',
};

export const batchBodies = {
  salaries: {
    batch_number: 'SALARIES-2026-11',
    items: [
      asha,
      {
        account_number: '0150123456789',
        bic: 'CORUTZTZ',
        full_name: 'Juma Ali',
        amount: 400000,
        currency: 'TZS',
      },
    ],
  },
  what_failed: { batch_number: 'SALARIES-2026-11-B', from_failed: ID },
};

const batch: z.output<typeof batchAnswer>['batch'] = {
  id: ID,
  batch_number: 'SALARIES-2026-11',
  status: 'draft',
  items_hash: HASH,
  totals: { items: 2, amount: '650,000.00', fees: '3,000.00', paid: 0, failed: 0, cancelled: 0 },
  errors: [],
  created_at: '2026-11-20T08:15:30.123000Z',
  metadata: {},
};

export const batchAnswers = {
  checked: { success: true, message: 'The batch can be started', batch },
  wrong_rows: {
    success: true,
    message: 'The batch cannot be started before its errors (1) are corrected',
    batch: {
      ...batch,
      errors: [{ row: 2, field: 'account_number', message: 'must be 5 to 34 letters and digits' }],
    },
  },
} satisfies Examples<typeof batchAnswer>;

export const startBodies = { looked_at: { items_hash: HASH } };
export const startedAnswers = {
  running: { success: true, message: 'The batch was started', batch: { ...batch, status: 'running' } },
} satisfies Examples<typeof batchAnswer>;

const pagination = { current_page: 1, last_page: 1, per_page: 20, total_items: 1 };
export const batchListAnswers = {
  one: { success: true, message: 'The batches were found', data: [batch], pagination },
} satisfies Examples<typeof batchList>;

const PAID = 'f3a5d6c2-6a0e-5b1f-9a55-1f0d3b6a9c11';
const PO = 'PO7KQ2M9ZX4T1B8R5C';
export const batchItemAnswers = {
  paid: {
    success: true,
    message: 'The items were found',
    data: [
      {
        row: 1,
        transaction_id: PAID,
        status: 'paid',
        phone_number: '0754123456',
        full_name: 'Asha Juma',
        name_match: true,
        amount: '250,000.00',
        fee: '1,500.00',
        currency: 'TZS',
        reference: 'EMP-017',
        payout_reference: PO,
        metadata: {},
      },
    ],
    pagination,
  },
} satisfies Examples<typeof batchItemList>;

export const batchProblemsCsv = {
  own_rows: `Namba ya simu,Kiasi,Idara,Problem\r\n0754123456,250000,Fedha,\r\n0754123,5.000,Fedha,"Namba ya simu must be a Tanzanian mobile number, for example 0754123456; Kiasi must be a whole number of shillings above 0, written 5000 or 5,000"\r\n`,
};

export const batchItemsCsv = {
  own_columns: `Namba ya simu,Kiasi,Idara,row,status,failure_code,transaction_id,payout_reference,name_match,at,day\r\n0754123456,250000,Fedha,1,paid,,${PAID},${PO},true,2026-11-20T11:16:02.000412+03:00,2026-11-20\r\n`,
};
