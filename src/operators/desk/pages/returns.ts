import { lists } from '../../list-table.ts';
import { listPage } from '../page.ts';

export const returnsPage = listPage(lists.returns, {
  path: 'returns',
  title: 'Refunds and returns on their way',
  menu: ['Money', 'Returns'],
});
