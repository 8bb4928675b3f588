import { lists } from '../../list-table.ts';
import { listAt } from '../list.ts';
import { listPage } from '../page.ts';

export const returnsPage = listPage('listReturns', (desk) => listAt(desk, lists.returns), {
  path: 'returns',
  title: 'Refunds and returns on their way',
  menu: ['Money', 'Returns'],
});
