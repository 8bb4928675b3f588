import { lists } from '../../list-table.ts';
import { listPage } from '../page.ts';
import { proposing } from '../proposing.ts';

/** Only entries without a transaction can be closed here. */
export const attentionPage = listPage(lists.attention, {
  path: 'attention',
  title: 'Attention',
  menu: ['Today', 'Attention'],
  more: (desk) => ({
    below: ({ about, subject }) =>
      about ? null : proposing(desk, 'attention.close', { seen: { subject }, title: OFF }),
  }),
});

export const OFF = 'Take it off the list';
