import { attentionReasons } from '../../domain/attention.ts';
import { GatewayError } from '../../domain/errors.ts';
import { isUuid } from '../../domain/ids.ts';
import { entriesOf } from '../../ledger/accounts.ts';
import { pageOfAttention } from '../../transactions/care/attention.ts';
import { pageOnTheirWay } from '../../transactions/rows/on-their-way.ts';
import { casesOf } from '../search/cases.ts';
import { type Call, call } from './call.ts';
import { attentionList, caseList, transactionAnswer } from './case-schemas.ts';
import { only, pageQuery } from './fields.ts';
import { requireTransaction } from './one-transaction.ts';
import { presentPage } from './present.ts';
import { presentAttention, presentCase, presentTransaction } from './present-case.ts';

/** If a channel does not answer, operators propose `attention.decide` to end the transaction. */
export const attentionCalls = {
  listAttention: call(
    {
      method: 'GET',
      paths: ['attention'],
      summary: 'Open attention entries (a person is needed), oldest first; all, or those of one reason',
      roles: ['support', 'finance'],
      query: { ...pageQuery, reason: only(attentionReasons, 'Only entries of this reason') },
      answer: attentionList,
    },
    async ({ page, per_page, reason = null }, { deps, noteRead }) => {
      const { database, workflowUrl } = deps;
      const asked = { page, perPage: per_page };
      const listed = await pageOfAttention(database, { ...asked, reason });
      const cases = await casesOf(
        database,
        [...new Set(listed.items.map(({ subject }) => subject))].filter(isUuid),
      );
      noteRead(...cases.map(({ transaction }) => transaction.id));
      return presentPage(listed, asked, (entry) => {
        const about = cases.find(({ transaction }) => transaction.id === entry.subject);
        return { ...presentAttention(entry), about: about ? presentCase(about, workflowUrl) : null };
      });
    },
  ),
  getTransaction: call(
    {
      method: 'GET',
      paths: ['transactions/{id}'],
      id: 'The id of the transaction',
      summary:
        'One transaction: its state, its messages with the channel, its money, and why a person is needed',
      roles: ['support', 'finance'],
      answer: transactionAnswer,
    },
    async (_input, context) => {
      const { database, workflowUrl } = context.deps;
      const { id } = await requireTransaction(context);
      context.noteRead(id);
      const [one] = await casesOf(database, [id]);
      if (one === undefined) throw new GatewayError('not_found', `There is no transaction ${id}`);
      return { transaction: presentTransaction(one, await entriesOf(database, id), workflowUrl) };
    },
  ),
  listReturns: call(
    {
      method: 'GET',
      paths: ['returns'],
      summary: 'Pending refunds and paybacks (money on its way back to payers), oldest first',
      roles: ['support', 'finance'],
      query: { ...pageQuery, mode: only(['refund', 'payback'], 'Only this kind') },
      answer: caseList,
    },
    async ({ page, per_page, mode }, { deps, noteRead }) => {
      const { database, workflowUrl } = deps;
      const asked = { page, perPage: per_page };
      const listed = await pageOnTheirWay(database, { ...asked, mode });
      const cases = await casesOf(database, listed.items);
      noteRead(...listed.items);
      const items = listed.items.flatMap((id) => cases.filter(({ transaction }) => transaction.id === id));
      return presentPage({ ...listed, items }, asked, (one) => presentCase(one, workflowUrl));
    },
  ),
} satisfies Record<string, Call>;
