import { lists } from '../../list-table.ts';
import type { Desk } from '../desk.ts';
import { listAt } from '../list.ts';
import { listPage } from '../page.ts';
import { proposing } from '../proposing.ts';

/** Only entries without a transaction can be closed here. */
const list = (desk: Desk) =>
  listAt(desk, lists.attention, {
    below: ({ about, subject }) =>
      about ? null : proposing(desk, 'attention.close', { seen: { subject }, title: OFF }),
  });

export const attentionPage = listPage('listAttention', list, {
  path: 'attention',
  title: 'Attention',
  menu: ['Today', 'Attention'],
});

export const OFF = 'Take it off the list';
