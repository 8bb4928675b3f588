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

export const id = written('Names it for ever');
export const uuidId = uuid('Names it for ever');
export const numberId = counted('Names it for ever');
export const at = written('When that was');
export const createdAt = written('When it was made');
export const expiresAt = written('When it ends by itself');
export const done = whether('False: it takes longer, so ask again');

export const currency = written('The currency of the amounts beside it');
export const amount = written('How much it is');
export const fee = written('Our fee');
export const held = written('What is reserved for payouts that have not ended');
export const available = written('What the merchant can spend');

export const accountId = uuid('The merchant');
export const merchant = written('The name of the merchant; null: it is no merchant’s').nullable();
export const frozenAt = written(
  'Since when nothing new is accepted from it; null: it is not frozen',
).nullable();

export const transactionId = uuid('The transaction that it belongs to; null: none of ours');
export const mode = written(
  'How it is paid: push, bill, QR code, to a wallet, to a bank, as a refund or a payback',
);
export const statusDescription = 'The state; final states never change';
export const status = written(statusDescription);
export const failureCode = written('Why it failed: one of a closed list; null where it did not').nullable();
export const party = written('The payer or the payee: number or account, and the name where it is known');
export const channel = written('The network, or `bank`; null: one account for all of them');
export const reference = written(
  "What names it: our reference at the network, the network's receipt, or a bank's line",
);
export const channelReference = written('What its network calls it; null until that has said so').nullable();
export const handedOverAt = written('When its network may have got it; null: it has not').nullable();
export const receipt = written("The network's number of the movement");
export const connection = written('The connection of the channels file');

export const kindDescription = 'What kind of movement or account it is';
export const lineText = written('What the line is, in words');
export const count = counted('How many there are');
export const detail = written('What happened, in words');
export const ageDays = counted('For how many days that is');

export const action = written('What is to happen: one of a closed list');
export const proposalId = written('The proposal that it was agreed by');
export const proposedBy = written('The operator who proposed it');
export const approvedBy = written('The operator who approved it');
export const payload = { description: 'What its action takes, exactly as the hash is of it' };
export const payloadHash = written('SHA-256 in hex over the action, a line break and the canonical payload');
export const decidedAt = written('When it was decided; null while it is open');
export const outcome = written('What came of it');
export const reason = written('Why, in the words of whoever asked for it');
export const note = written('What people wrote about it');

export const tokenId = written('The part of a token that is no secret');
export const eventId = written('Names the callback for ever, however often it is sent');

export const requestId = written('The same as the header `X-Request-Id`; the audit log has it, too');
export const hash = written('SHA-256 in hex over the hash before it and the text of the line');

export const statementAccount = written('The statement account, by its name in the channels file');
export const day = written('A day of Dar es Salaam');
export const classDescription = 'Why it is open, or was; null: it is matched, or a rule booked it';
export const month = written('A month of Dar es Salaam');
export const final = whether('Nothing that happens later changes this range');
