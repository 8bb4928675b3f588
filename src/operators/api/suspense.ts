import { requireAccount } from '../../accounts/store.ts';
import { GatewayError } from '../../domain/errors.ts';
import { channelIds } from '../../domain/network.ts';
import { getSuspenseItem, pageOfSuspense } from '../../ledger/suspense.ts';
import { billOfItem, type ItemOfBill } from '../../transactions/ending/to-bill.ts';
import { refusedByBill } from '../actions/to-bill-action.ts';
import { type Call, call } from './call.ts';
import { only, pageQuery } from './fields.ts';
import { presentPage, presentSuspenseItem } from './present.ts';
import { suspenseAnswer, suspenseList } from './schemas.ts';

export const suspenseCalls = {
  listSuspense: call(
    {
      method: 'GET',
      paths: ['suspense'],
      summary: 'Open items of money that belongs to no transaction, oldest first',
      roles: ['support', 'finance'],
      query: { ...pageQuery, channel: only(channelIds, 'Only this network') },
      answer: suspenseList,
    },
    async ({ page, per_page, channel }, { deps }) => {
      const asked = { page, perPage: per_page };
      return presentPage(
        await pageOfSuspense(deps.database, { ...asked, channel }),
        asked,
        presentSuspenseItem,
      );
    },
  ),
  getSuspenseItem: call(
    {
      method: 'GET',
      paths: ['suspense/{id}'],
      id: 'The id of the item',
      summary: 'One suspense item: its receipt, its amount, and how it left suspense',
      roles: ['support', 'finance'],
      answer: suspenseAnswer,
    },
    async (_input, { deps, id }) => {
      const item = await getSuspenseItem(deps.database, id);
      if (item === null) throw new GatewayError('not_found', `There is no item ${id} in suspense`);
      const paid = item.release === null && item.amount > 0 ? await billOfItem(deps.database, item) : null;
      const { accountId } = item;
      const merchant = accountId === null ? null : (await requireAccount(deps.database, accountId)).name;
      return { item: presentSuspenseItem(item), merchant, pays: paid && presentPaid(paid) };
    },
  ),
} satisfies Record<string, Call>;

const presentPaid = (paid: ItemOfBill) => ({
  id: 'number' in paid.bill ? paid.bill.number.id : paid.bill.transaction.id,
  control_number: paid.payment.controlNumber ?? '',
  refused: refusedByBill(paid),
});
