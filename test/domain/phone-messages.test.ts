import assert from 'node:assert/strict';
import { phoneMessages } from '../../src/domain/data/phone-messages.ts';
import { networks } from '../../src/domain/network.ts';

const COMMON = ['{amount}', '{balance}', '{business}', '{date}', '{receipt}', '{time}'];
const NAMES = { paid: ['{fee}'], paid_bill: ['{control_number}', '{fee}'], received: [] };

describe("messages of networks on the simulator's phone", () => {
  it('belong to networks that exist, and say after what they were written', () => {
    const known = new Set(['other', ...networks.map(({ id }) => id)]);
    assert.deepEqual(
      Object.keys(phoneMessages).filter((id) => !known.has(id)),
      [],
    );
    for (const { source } of Object.values(phoneMessages)) assert.match(source, /Samples|Unsure|Ours/);
  });

  for (const [id, { en, sw }] of Object.entries(phoneMessages)) {
    it(`name receipt, amount, balance, merchant and time, and the fee of a payment: ${id}`, () => {
      for (const texts of [en, sw])
        for (const [kind, names] of Object.entries(NAMES)) {
          const filled = texts[kind as keyof typeof NAMES].match(/\{\w+\}/g) ?? [];
          assert.deepEqual([...filled].sort(), [...COMMON, ...names].sort(), `${id} ${kind}`);
        }
    });
  }
});
