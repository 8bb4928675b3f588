import { CURRENCY } from '../../../domain/money.ts';
import { type Html, html } from '../../../platform/http/html.ts';
import { lists } from '../../list-table.ts';
import type { Answer } from '../desk.ts';
import { folded } from '../form.ts';
import { listPage } from '../page.ts';
import { drawnOf, picture } from '../picture.ts';
import { facts, segment, spaced } from '../words.ts';

export const floatPage = listPage(lists.float, {
  more: (desk) => ({
    totals: ['They say', 'They say now', 'Promised to payouts', 'Batches not started'],
    head: () => html`<p>In shillings.</p>`,
    below: ({ account }) =>
      desk.may('importStatement')
        ? folded(desk, `Import a statement of ${account}`, {
            act: 'import',
            label: 'Import it',
            keep: { account },
            fields: [
              {
                name: 'file',
                label: 'The file',
                kind: 'file',
                hint:
                  'Upload the original file (CSV, .xlsx or XML, at most 64 MiB): ' +
                  'do not open and save it in Excel first',
              },
            ],
            note: 'Either the whole file is imported or nothing. Importing it again changes nothing.',
          })
        : null,
  }),
  above: (desk) => drawnOf(desk.ask('figureOfFloat'), (figure) => picture(DRAWN, figure)),
  path: 'float',
  title: 'Money at networks and banks',
  menu: ['Money', 'Float'],
  takesFile: 'importStatement',
  acts: {
    async import(desk, form) {
      const id = form.get('account') ?? '';
      return importShown(await desk.ask('importStatement', { id, file: form.file }));
    },
  },
});

const DRAWN = `Money at the end of the last seven days and of the next seven, in ${CURRENCY}`;

function importShown({
  account,
  statement,
  repeated,
  lines,
  added,
  known,
  classes,
  notes,
}: Answer<'importStatement'>): Html {
  const at = segment(account);
  return html`<p class="done" role="status">${
    repeated
      ? 'This file was imported before, and nothing has changed: this is what came of it then.'
      : 'The statement is whole, and it is imported.'
  }</p>${facts([
    ['Account', account],
    ['Statement', html`<code>${statement}</code>`],
    ['Lines', `${lines}: ${added} new, ${known} known before`],
    ['New lines by class', classes.map((one) => `${one.lines} ${spaced(one.class)}`).join(', ')],
    ...notes.map((note): [string, string] => ['Note', note]),
  ])}<p><a href="/desk/lines?account=${at}">Its open lines</a>, <a href="/desk/days?account=${at}">its days</a></p>`;
}
