import { keyStates, scopes } from '../../../accounts/keys.ts';
import { type Html, html } from '../../../platform/http/html.ts';
import { merchantAt } from '../case.ts';
import type { Answer, Desk } from '../desk.ts';
import { choice, form, reasonField } from '../form.ts';
import { type Column, listOf, table } from '../list.ts';
import { type Form, type Page, proposes } from '../page.ts';
import { spaced, text, time } from '../words.ts';
import { backTo } from './merchants.ts';

type Key = Answer<'listKeys'>['data'][number];

export const keysPage: Page = {
  path: 'merchants/{id}/keys',
  title: 'Keys',
  async show(desk) {
    return html`${backTo(desk)}${await table(desk, list(desk))}${
      desk.mayPropose('keys.create') && newKey(desk)
    }`;
  },
  list: (desk) => list(desk),
  acts: {
    create: proposes('keys.create', ({ id }, form) => ({
      ...printed(form),
      account_id: id,
      scopes: form.all('scopes'),
      label: form.get('label'),
      holder: form.get('holder'),
    })),
    rotate: proposes('keys.rotate', (_, form) => printed(form)),
    address: proposes('callbacks.set', (_, form) => ({
      key_id: form.get('key_id'),
      url: form.get('url') ?? null,
    })),
    async freeze(desk, form) {
      const body = { key_id: form.get('key_id'), reason: form.get('reason') };
      await desk.ask('freezeAccount', { id: desk.id, body });
      return `${merchantAt(desk.id)}/keys`;
    },
    unfreeze: proposes('accounts.unfreeze', ({ id }, form) => ({
      account_id: id,
      key_id: form.get('key_id'),
    })),
    async revoke(desk, form) {
      await desk.ask('revokeKey', { id: form.get('key_id') ?? '' });
      return `${merchantAt(desk.id)}/keys`;
    },
    async ping(desk, form) {
      await desk.ask('pingCallbacks', { id: form.get('key_id') ?? '' });
      return `${merchantAt(desk.id)}/keys?done=`;
    },
  },
};

/** The form gives the key and fingerprint as its holder saw them: `sk_live_4Fq81ZbnR0tx:9f86…`. */
function printed(form: Form) {
  const [key, fingerprint] = (form.get('printed') ?? '').split(':');
  return { key, fingerprint };
}

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

const printedField = {
  name: 'printed',
  label: 'What making the key has shown',
  hint: 'The key up to its id, a colon, and the fingerprint: sk_…:9f86…. Never the secret',
} as const;

function actsOf(desk: Desk, { id, revoked_at, frozen_at, callback_url }: Key): Html | null {
  if (revoked_at !== null) return null;
  const keep = { key_id: id };
  return html`<details${desk.typed?.get('key_id') === id && html` open`}><summary>Change this key</summary>
${desk.may('pingCallbacks') && callback_url !== null && form(desk, { act: 'ping', label: 'Send a ping to its address', keep })}
${desk.mayPropose('callbacks.set') && form(desk, { act: 'address', label: 'Propose this address', keep, fields: [{ name: 'url', label: 'Its callbacks go to', value: callback_url ?? '', isOptional: true, hint: 'Empty: nowhere' }, reasonField] })}
${desk.mayPropose('keys.rotate') && form(desk, { act: 'rotate', label: 'Propose another secret', keep, fields: [printedField, reasonField] })}
${frozen_at === null ? form(desk, { act: 'freeze', label: 'Freeze it now', keep, fields: [reasonField] }) : desk.mayPropose('accounts.unfreeze') && form(desk, { act: 'unfreeze', label: 'Propose to lift the freeze', keep, fields: [reasonField] })}
${desk.may('revokeKey') && form(desk, { act: 'revoke', label: 'Revoke it now, for good', keep })}</details>`;
}

function newKey(desk: Desk): Html {
  return html`<h2>Let a key in</h2>${form(desk, {
    act: 'create',
    label: 'Propose this key',
    fields: [
      printedField,
      { name: 'label', label: 'What it is for', isOptional: true },
      {
        name: 'holder',
        label: 'Who will have it',
        isOptional: true,
        hint: 'Keys of one holder are one person: who made a batch does not start it',
      },
      {
        name: 'scopes',
        label: 'What it may do',
        kind: 'boxes',
        options: scopes.map((one) => [one, one] as const),
      },
      reasonField,
    ],
    note: 'Whoever will use the key makes it: on the page “Make a key” of the reference, in a browser, or with keys new. Compare the fingerprint with its holder, aloud, before it is approved.',
  })}`;
}
