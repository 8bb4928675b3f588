import { html } from '../../../platform/http/html.ts';
import { lists } from '../../list-table.ts';
import type { Answer, Desk } from '../desk.ts';
import { form } from '../form.ts';
import { listAt, rows, table } from '../list.ts';
import type { Page } from '../page.ts';
import { proposing } from '../proposing.ts';
import { text } from '../words.ts';

type Checked = Answer<'checkChannels'>['data'][number];

const list = (desk: Desk) => listAt(desk, lists.networks);

export const networksPage: Page = {
  path: 'networks',
  title: 'Networks',
  menu: 'Networks',
  async show(desk) {
    return html`${await table(desk, list(desk))}${desk.may('checkChannels') && checkForm(desk)}${proposing(desk, 'channels.close', {})}${proposing(desk, 'channels.open', {})}${proposing(desk, 'channels.live-send', {})}`;
  },
  list,
  acts: {
    async check(desk) {
      const { data } = await desk.ask('checkChannels');
      const shown =
        data.length === 0
          ? html`<p>No connection is configured.</p>`
          : rows({ columns: checkedColumns }, data);
      return html`${shown}<p><a href="/desk/networks">To the networks</a></p>`;
    },
  },
};

const checkedColumns = [
  ['Connection', ({ connection }: Checked) => text(connection)],
  ['Protocol', ({ protocol }: Checked) => text(protocol)],
  ['It', ({ outcome }: Checked) => text(outcome)],
  ['Detail', ({ detail }: Checked) => text(detail)],
] as const;

const checkForm = (desk: Desk) =>
  html`<h2>Check</h2>${form(desk, { act: 'check', label: 'Ask every connection now', note: 'It asks what changes nothing: does the address answer, are we let in?' })}`;
