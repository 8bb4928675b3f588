import { caseColumns } from '../case.ts';
import { listOf } from '../list.ts';
import { listPage } from '../page.ts';

const list = listOf({
  call: 'listReturns',
  filters: [
    {
      name: 'mode',
      label: 'What it is',
      kind: 'choice',
      options: [
        ['', 'refunds and paybacks'],
        ['refund', 'refunds of merchants'],
        ['payback', 'paybacks of ours'],
      ],
    },
  ],
  columns: caseColumns,
  none: 'No refund and no payback is on its way.',
});

export const returnsPage = listPage('listReturns', () => list, {
  path: 'returns',
  title: 'Refunds and returns on their way',
  menu: ['Money', 'Returns'],
});
