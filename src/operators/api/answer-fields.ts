import { z } from 'zod';

/** Amounts are strings such as `5,000.00`; times are UTC with microseconds. */
export const written = (description: string) => z.string().meta({ description });
export const counted = (description: string) => z.number().meta({ description });
export const whether = (description: string) => z.boolean().meta({ description });
const uuid = (description: string) => z.uuid().meta({ description });
export const listOf = <Item extends z.ZodType>(item: Item, description: string) =>
  z.array(item).meta({ description });
export const orNone = <Item extends z.ZodType>(item: Item, description: string) =>
  item.nullable().meta({ description });
export const among = <const Value extends string>(values: readonly Value[], description: string) =>
  z.enum(values).meta({ description });

export const id = written('Its id, which never changes');
export const uuidId = uuid('Its id, which never changes');
export const numberId = counted('Its id, which never changes');
export const at = written('The time of it');
export const createdAt = written('When it was made');
export const expiresAt = written('When it expires');
export const done = whether('False: it takes longer, so ask again');

export const currency = written('The currency of the amounts in this object');
export const amount = written('The amount');
export const fee = written('Our fee');
export const held = written('Money that is reserved for payouts that have not ended');
export const available = written('Money that the merchant can spend');

export const accountId = uuid('The merchant');
export const merchant = written('The name of the merchant; null: it belongs to no merchant').nullable();
export const frozenAt = written(
  'When it was frozen: new requests are refused since then; null: it is not frozen',
).nullable();

export const transactionId = uuid('The transaction that it belongs to; null: none');
export const mode = written(
  'How it is paid: push, bill, QR code, to a wallet, to a bank, as a refund or a payback',
);
export const statusDescription = 'The state; final states never change';
export const status = written(statusDescription);
export const failureCode = written('Why it failed: one of a closed list; null: it has not failed').nullable();
export const party = written('The payer or the payee: number or account, and the name if it is known');
export const channel = written('The network, or `bank`; null: one account for all of them');
export const reference = written("Its reference: ours at the network, the network's receipt, or the bank's");
export const channelReference = written("The network's reference; null: not known yet").nullable();
export const handedOverAt = written('When we handed it to the network; null: not yet').nullable();
export const receipt = written("The network's receipt of the movement");
export const connection = written('The connection of the channels file');

export const kindDescription = 'What kind of movement or account it is';
export const lineText = written('A description of the line, in words');
export const count = counted('How many there are');
export const detail = written('What happened, in words');
export const ageDays = counted('Its age in days');

export const action = written('The action: one of a closed list');
export const proposalId = written('The proposal by which two operators agreed');
export const proposedBy = written('The operator who proposed it');
export const approvedBy = written('The operator who approved it');
export const payload = { description: "The action's fields; the hash covers exactly this" };
export const payloadHash = written('SHA-256 in hex of the action, a line break and the canonical payload');
export const decidedAt = written('When it was decided; null: it is still open');
export const outcome = written('The result');
export const reason = written('The reason, in the words of the person who asked');
export const note = written('The note of the operators');

export const tokenId = written('The part of the token that is not secret');
export const eventId = written('The id of the event, the same each time it is sent');

export const requestId = written('The same as the header `X-Request-Id`; it is also in the audit log');
export const hash = written('SHA-256 in hex of the previous hash and the text of the line');

export const statementAccount = written('The statement account, by its name in the channels file');
export const day = written('A day, in Dar es Salaam time');
export const classDescription = 'Why it is or was open; null: it is matched, or a rule booked it';
export const month = written('A month, in Dar es Salaam time');
export const final = whether('True: this range will never change');
