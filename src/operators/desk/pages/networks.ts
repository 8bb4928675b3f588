import { channelStates, services } from '../../../domain/channel-health.ts';
import { clockTimeOf } from '../../../domain/day.ts';
import { channelIds, networkNameOf } from '../../../domain/network.ts';
import { type Html, html } from '../../../platform/http/html.ts';
import type { Answer, Desk } from '../desk.ts';
import { choice, folded, form, reasonField } from '../form.ts';
import { listOf, rows, table } from '../list.ts';
import type { Page } from '../page.ts';
import { drawnOf, picture } from '../picture.ts';
import { proposing } from '../proposing.ts';
import { spaced, text, time } from '../words.ts';

type Checked = Answer<'checkChannels'>['data'][number];

export const networksPage: Page = {
  path: 'networks',
  title: 'Networks',
  menu: ['Service', 'Networks'],
  async show(desk) {
    const options = [
      ['', 'choose'],
      ['all', 'every network'],
      ...channelIds.map((id) => [id, networkNameOf(id)]),
    ] as [string, string][];
    return html`${await drawnOf(desk.ask('figureOfNetworks'), pushesOf)}${await table(desk, list)}${desk.may('checkChannels') && checkForm(desk)}${desk.may('closeChannel') && closing(desk, options)}${proposing(desk, 'channels.open', {})}${proposing(desk, 'channels.live-send', {})}`;
  },
  list: () => list,
  acts: {
    async check(desk) {
      const { data } = await desk.ask('checkChannels');
      const shown =
        data.length === 0
          ? html`<p>No connection is configured.</p>`
          : rows({ columns: checkedColumns }, data);
      return html`${shown}<p><a href="/desk/networks">To the networks</a></p>`;
    },
    async close(desk, form) {
      const body = { services: form.all('services'), reason: form.get('reason') };
      await desk.ask('closeChannel', { id: form.get('channel') ?? '', body });
      return '/desk/networks';
    },
  },
};

const list = listOf({
  call: 'listChannels',
  filters: [choice('state', 'State', 'every state', { names: channelStates })],
  columns: [
    ['Network', ({ channel }) => text(networkNameOf(channel))],
    ['Service', ({ service }) => text(service)],
    ['State', ({ state }) => text(state)],
    ['Closed by', ({ closed }) => text(closed?.by ?? '')],
    ['Closed since', ({ closed }) => time(closed?.at ?? null)],
    [
      'Closed why',
      ({ closed }) =>
        text(
          closed === null ? '' : `${closed.reason}${closed.everywhere ? ' (with every other network)' : ''}`,
        ),
    ],
  ],
  none: 'No network is in this state.',
});

function pushesOf(figure: Answer<'figureOfNetworks'>): Html {
  const shown = {
    ...figure,
    at: figure.at.map((at) => clockTimeOf(Date.parse(at)).slice(11, 16)),
    series: figure.series.map((one) => ({ ...one, panel: networkNameOf(one.panel) })),
    title: 'Pushes that succeeded in the last 24 hours, by quarter of an hour',
    mark: 'line' as const,
  };
  return html`<h2>Pushes of 24 hours</h2>${picture(shown)}${
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
  html`<h2>Check</h2>${form(desk, { act: 'check', label: 'Ask every connection now', note: 'It asks what changes nothing: does the address answer, are we let in?' })}`;

const fieldsOf = (options: [string, string][]) => [
  { name: 'channel', label: 'Network', kind: 'choice' as const, options },
  {
    name: 'services',
    label: 'Services',
    kind: 'boxes' as const,
    options: services.map((one) => [one, one] as const),
  },
  reasonField,
];

const closing = (desk: Desk, options: [string, string][]): Html =>
  html`<h2>Close</h2>${folded(desk, 'Close payments or payouts, at once', { act: 'close', label: 'Close it now', fields: fieldsOf(options), note: 'Pushes are refused and payouts wait. To open again needs two operators.' })}`;
