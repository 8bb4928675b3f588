import assert from 'node:assert/strict';
import { type EnquiryNote, noteEnquiry } from '../../src/transactions/channel/enquiries.ts';
import { useTestDatabase } from '../support/database.ts';
import { answered, handedOver } from '../support/handed-over.ts';
import { pushRequest } from '../support/merchant.ts';
import { succeeded } from '../support/scripted-channel.ts';

describe('what enquiries said', () => {
  const test = useTestDatabase();

  const minute = (number: number) => `2025-01-01T12:0${number}:00.000000Z`;
  const note = (transactionId: string, said: EnquiryNote['said'], at: number) =>
    noteEnquiry(test.database, { transactionId, said, at: minute(at), nextAt: minute(at + 1) });

  it('is "not found" since the first of them that stand without a break', async () => {
    const { id } = await handedOver(test.database, pushRequest());
    assert.equal(await note(id, 'not_found', 1), minute(1));
    assert.equal(await note(id, 'not_found', 2), minute(1));
    assert.equal(await note(id, 'unclear', 3), null);
    assert.equal(await note(id, 'not_found', 4), minute(4));
  });

  it('is noted for no transaction that has ended', async () => {
    const { id } = await handedOver(test.database, pushRequest(5_000));
    await answered(test.database, id, succeeded(5_000));
    assert.equal(await note(id, 'not_found', 1), null);
    assert.deepEqual(
      await test.sql`SELECT next_enquiry_at, not_found_since FROM transactions WHERE id = ${id}`,
      [{ next_enquiry_at: null, not_found_since: null }],
    );
  });
});
