import { clockTimeOf } from '../../../domain/day.ts';
import { networkNameOf } from '../../../domain/network.ts';
import { type Html, html } from '../../../platform/http/html.ts';
import { lists } from '../../list-table.ts';
import type { Answer, Desk } from '../desk.ts';
import { form } from '../form.ts';
import { listAt, rows } from '../list.ts';
import { listPage } from '../page.ts';
import { drawnOf, picture } from '../picture.ts';
import { proposing } from '../proposing.ts';
import { spaced, text } from '../words.ts';

type Checked = Answer<'checkChannels'>['data'][number];

export const networksPage = listPage('listChannels', (desk) => listAt(desk, lists.networks), {
  path: 'networks',
  title: 'Networks',
  menu: ['Service', 'Networks'],
  above: (desk) => drawnOf(desk.ask('figureOfNetworks'), pushesOf),
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
      const shown =
        data.length === 0
          ? html`<p>No connection is configured.</p>`
          : rows({ columns: checkedColumns }, data);
      return html`${shown}<p><a href="/desk/networks">Back to the networks</a></p>`;
    },
  },
});

function pushesOf(figure: Answer<'figureOfNetworks'>): Html {
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
    html`<h3>Why the others failed</h3>${rows({ columns: failedColumns }, figure.numbers)}`
  }<h2>States</h2>`;
}

type Failed = Answer<'figureOfNetworks'>['numbers'][number];
const failedColumns = [
  ['Network and reason', ({ name }: Failed) => text(spaced(name))],
  ['How many', ({ value }: Failed) => text(value)],
] as const;

const checkedColumns = [
  ['Connection', ({ connection }: Checked) => text(connection)],
  ['Protocol', ({ protocol }: Checked) => text(protocol)],
  ['It', ({ outcome }: Checked) => text(outcome)],
  ['Detail', ({ detail }: Checked) => text(detail)],
] as const;

const checkForm = (desk: Desk) =>
  html`<h2>Check</h2>${form(desk, {
    act: 'check',
    label: 'Ask every connection now',
    note: 'A harmless question: does the address answer, and does it accept our login?',
  })}`;
