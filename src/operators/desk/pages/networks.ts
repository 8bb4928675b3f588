import { clockTimeOf } from '../../../domain/day.ts';
import { networkNameOf } from '../../../domain/network.ts';
import { type Html, html } from '../../../platform/http/html.ts';
import { lists } from '../../list-table.ts';
import type { Answer, Desk } from '../desk.ts';
import { form } from '../form.ts';
import { rowsAt } from '../list.ts';
import { listPage } from '../page.ts';
import { drawnOf, picture } from '../picture.ts';
import { proposing } from '../proposing.ts';

export const networksPage = listPage(lists.networks, {
  path: 'networks',
  title: 'Networks',
  menu: ['Service', 'Networks'],
  above: (desk) => drawnOf(desk.ask('figureOfNetworks'), (figure) => pushesOf(desk, figure)),
  below: (desk) =>
    html`${
      desk.may('checkChannels') && checkForm(desk)
    }${proposing(desk, 'channels.close', {})}${proposing(desk, 'channels.open', {})}${proposing(
      desk,
      'channels.live-send',
      {},
    )}`,
  acts: {
    async check(desk) {
      const { data } = await desk.ask('checkChannels');
      const none = html`<p>No connection is configured.</p>`;
      return html`${data.length === 0 ? none : rowsAt(desk, checkedColumns, data)}<p><a href="/desk/networks">Back to the networks</a></p>`;
    },
  },
});

function pushesOf(desk: Desk, figure: Answer<'figureOfNetworks'>): Html {
  const shown = {
    ...figure,
    at: figure.at.map((at) => clockTimeOf(Date.parse(at)).slice(11, 16)),
    series: figure.series.map((one) => ({ ...one, panel: networkNameOf(one.panel) })),
    numbers: [],
  };
  return html`<h2>Pushes of the last 24 hours</h2>${picture(
    'Pushes that succeeded in the last 24 hours, by quarter of an hour',
    shown,
  )}${
    figure.numbers.length > 0 &&
    html`<h3>Why the others failed</h3>${rowsAt(desk, failedColumns, figure.numbers)}`
  }<h2>States</h2>`;
}

const failedColumns = [
  { head: 'Network and reason', of: 'name', as: 'words' },
  { head: 'How many', of: 'value', as: 'number' },
] as const;

const checkedColumns = [
  { head: 'Connection', of: 'connection' },
  { head: 'Protocol', of: 'protocol' },
  { head: 'It', of: 'outcome' },
  { head: 'Detail', of: 'detail' },
] as const;

const checkForm = (desk: Desk) =>
  html`<h2>Check</h2>${form(desk, {
    act: 'check',
    label: 'Ask every connection now',
    note: 'A harmless question: does the address answer, and does it accept our login?',
  })}`;
