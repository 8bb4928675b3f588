import { type Html, html } from '../../../platform/http/html.ts';
import { lists } from '../../list-table.ts';
import type { Answer, Desk } from '../desk.ts';
import { form } from '../form.ts';
import { listPage } from '../page.ts';
import { proposing } from '../proposing.ts';
import { backTo } from './merchants.ts';

type Key = Answer<'listKeys'>['data'][number];

export const keysPage = listPage(lists.keys, {
  path: 'merchants/{id}/keys',
  title: 'Keys',
  more: (desk) => ({ query: { account: desk.id }, below: (key) => actsOf(desk, key) }),
  above: (desk) => backTo(desk),
  below: (desk) => proposing(desk, 'keys.create', { seen: { account_id: desk.id } }),
  acts: {
    async ping(desk, form) {
      await desk.ask('pingCallbacks', { id: form.get('key_id') ?? '' });
      return '?done=';
    },
  },
});

const isTyped = ({ typed }: Desk, id: string) =>
  typed?.get('key_id') === id || (typed?.get('seen') ?? '').includes(JSON.stringify(id));

function actsOf(desk: Desk, { id, revoked_at, frozen_at, callback_url }: Key): Html | null {
  if (revoked_at !== null) return null;
  const keep = { key_id: id };
  return html`<details${isTyped(desk, id) && html` open`}><summary>Change this key</summary>
${
  desk.may('pingCallbacks') &&
  callback_url !== null &&
  form(desk, { act: 'ping', label: 'Send a ping to its address', keep })
}
${proposing(desk, 'callbacks.set', { seen: keep, values: { url: callback_url ?? 'none' } })}
${proposing(desk, 'keys.rotate', {})}
${
  frozen_at === null
    ? proposing(desk, 'accounts.freeze', { seen: { ...keep, account_id: desk.id } })
    : proposing(desk, 'accounts.unfreeze', { seen: { ...keep, account_id: desk.id, frozen_at } })
}
${proposing(desk, 'limits.set', { seen: { ...keep, account_id: desk.id } })}
${proposing(desk, 'keys.revoke', { seen: keep })}</details>`;
}
