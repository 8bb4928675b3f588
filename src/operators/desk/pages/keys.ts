import { keyStates } from '../../../accounts/keys.ts';
import { type Html, html } from '../../../platform/http/html.ts';
import { merchantAt } from '../case.ts';
import type { Answer, Desk } from '../desk.ts';
import { choice, form } from '../form.ts';
import { type Column, listOf, table } from '../list.ts';
import type { Page } from '../page.ts';
import { proposing } from '../proposing.ts';
import { spaced, text, time } from '../words.ts';
import { backTo } from './merchants.ts';

type Key = Answer<'listKeys'>['data'][number];

export const keysPage: Page = {
  path: 'merchants/{id}/keys',
  title: 'Keys',
  async show(desk) {
    return html`${backTo(desk)}${await table(desk, list(desk))}${proposing(desk, 'keys.create', {
      seen: { account_id: desk.id },
    })}`;
  },
  list: (desk) => list(desk),
  acts: {
    async ping(desk, form) {
      await desk.ask('pingCallbacks', { id: form.get('key_id') ?? '' });
      return `${merchantAt(desk.id)}/keys?done=`;
    },
  },
};

const columns: readonly Column<Key>[] = [
  ['Key', ({ id }) => ({ shown: html`<code>${id}</code>`, csv: id })],
  ['For', ({ label }) => text(label)],
  ['Holder', ({ holder }: Key) => text(holder)],
  ['May', (key: Key) => text(key.scopes.join(', '))],
  ['State', (key: Key) => text(stateOf(key))],
  ['Secrets', ({ live_secrets }: Key) => text(live_secrets)],
  ['Used', ({ last_used_at }: Key) => time(last_used_at, 'never')],
  ['Until', ({ expires_at }: Key) => time(expires_at, 'without an end')],
  ['From', ({ allowed_ips }: Key) => text(allowed_ips.join(', ') || 'any address')],
  [
    'Callbacks go to',
    ({ callback_url, callback_disabled_reason }: Key) =>
      text(
        `${callback_url ?? 'nowhere'}${callback_disabled_reason === null ? '' : `, disabled: ${spaced(callback_disabled_reason)}`}`,
      ),
  ],
];

const list = (desk: Desk) =>
  listOf({
    call: 'listKeys',
    query: { account: desk.id },
    filters: [choice('state', 'State', 'every state', { names: keyStates })],
    columns,
    none: 'This merchant has no such key.',
    below: (key) => actsOf(desk, key),
  });

function stateOf({ revoked_at, frozen_at }: Key): string {
  if (revoked_at !== null) return 'revoked';
  return frozen_at === null ? 'in use' : 'frozen';
}

const isTyped = ({ typed }: Desk, id: string) =>
  typed?.get('key_id') === id || (typed?.get('seen') ?? '').includes(JSON.stringify(id));

function actsOf(desk: Desk, { id, revoked_at, frozen_at, callback_url }: Key): Html | null {
  if (revoked_at !== null) return null;
  const keep = { key_id: id };
  return html`<details${isTyped(desk, id) && html` open`}><summary>Change this key</summary>
${desk.may('pingCallbacks') && callback_url !== null && form(desk, { act: 'ping', label: 'Send a ping to its address', keep })}
${proposing(desk, 'callbacks.set', { seen: keep, values: { url: callback_url ?? 'none' } })}
${proposing(desk, 'keys.rotate', {})}
${frozen_at === null ? proposing(desk, 'accounts.freeze', { seen: { ...keep, account_id: desk.id } }) : proposing(desk, 'accounts.unfreeze', { seen: { ...keep, account_id: desk.id, frozen_at } })}
${proposing(desk, 'limits.set', { seen: { ...keep, account_id: desk.id } })}
${proposing(desk, 'keys.revoke', { seen: keep })}</details>`;
}
