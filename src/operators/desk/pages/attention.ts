import { lists } from '../../list-table.ts';
import type { Desk } from '../desk.ts';
import { folded } from '../form.ts';
import { listAt } from '../list.ts';
import { listPage } from '../page.ts';

/** Only entries without a transaction can be closed here. */
export const attentionPage = listPage('listAttention', (desk) => list(desk), {
  path: 'attention',
  title: 'Attention',
  menu: ['Today', 'Attention'],
  acts: {
    async close(desk, form) {
      const body = { subject: form.get('subject'), note: form.get('note') };
      await desk.ask('closeAttention', { body });
      return '?done=';
    },
  },
});

const list = (desk: Desk) =>
  listAt(desk, lists.attention, {
    below: ({ about, subject }) =>
      about || !desk.may('closeAttention')
        ? null
        : folded(desk, OFF, { act: 'close', label: OFF, keep: { subject }, fields: [noteField] }),
  });

export const OFF = 'Take it off the list';
export const noteField = {
  name: 'note',
  label: 'What was done about it',
  kind: 'area',
  hint: 'Kept for ever: no names and numbers of customers',
} as const;
