import { type Html, html } from '../../../platform/http/html.ts';
import { calls } from '../../api/calls.ts';
import type { CallName, Desk } from '../desk.ts';
import { form } from '../form.ts';
import { listOf, table } from '../list.ts';
import type { Page } from '../page.ts';
import { dayIn, spaced, text, time } from '../words.ts';

export const auditPage: Page = {
  path: 'audit',
  title: 'Audit log',
  menu: ['Service', 'Audit'],
  isFor: (desk) => desk.may('listAudit'),
  async show(desk) {
    const head = await headOf(desk);
    return html`<p>The log has ${head.id} lines; its end is <code>${head.id}:${head.hash}</code>. Keep this end in another place.</p>
${form(desk, { act: 'verify', label: 'Check the chain' })}
${await table(desk, listUntil(desk, head.id))}`;
  },
  list: async (desk) => listUntil(desk, (await headOf(desk)).id),
  acts: {
    async verify(desk) {
      const { done, lines, head, breach } = await desk.ask('verifyAudit');
      const back = html`<p><a href="/desk/audit">To the log</a></p>`;
      if (!done)
        return html`<p role="status">The check takes longer: ask again in a minute.</p>${form(desk, { act: 'verify', label: 'Ask again' })}`;
      if (breach !== null)
        return html`<div class="problem" role="alert"><p>The audit log was changed: ${breach}.</p></div>${back}`;
      return html`<p class="done" role="status">${lines} lines are unchanged; the end is <code>${head?.id}:${head?.hash}</code></p>${back}`;
    },
  },
};

function sentenceOf(desk: Desk, action: string): string {
  const name = action.replace(/^call\./, '');
  if (Object.hasOwn(calls, name)) return calls[name as CallName].summary;
  return desk.actions[action]?.title ?? name.replaceAll(/[.-]/g, ' ');
}

/** A read may name hundreds of subjects: fold them. */
function detailOf(detail: Record<string, unknown>): Html {
  const members = Object.entries(detail).map(
    ([name, value]) =>
      html`${spaced(name)}: ${typeof value === 'object' ? JSON.stringify(value) : String(value)}<br>`,
  );
  return 'read' in detail
    ? html`<details><summary>what was read</summary>${members}</details>`
    : html`${members}`;
}

const headOf = async (desk: Desk) => (await desk.ask('readAudit', { query: { limit: 1 } })).head;

/** Reading adds lines: `until` leaves them out, so that a file does not repeat a line. */
const listUntil = (desk: Desk, until: number) =>
  listOf({
    call: 'listAudit',
    query: { until },
    filters: [
      {
        name: 'only',
        label: 'Show',
        kind: 'choice',
        // Browsers do not send a required select with an empty value.
        isOptional: true,
        options: [
          ['', 'changes and reads'],
          ['changes', 'changes only'],
        ],
        value: desk.query.get('action')?.startsWith('call') ? '' : 'changes',
      },
      { name: 'actor', label: 'Who', hint: 'An operator’s name, or a part of the service' },
      { name: 'action', label: 'What', hint: 'Or its beginning, such as call. or proposals.' },
      { name: 'subject', label: 'About', hint: 'The id of the changed or read object' },
      { name: 'from', label: 'From the day', kind: 'day' },
      { name: 'to', label: 'Before the day', kind: 'day' },
    ],
    columns: [
      ['Line', ({ id }) => text(id)],
      ['When', ({ at }) => time(at), ['Day', ({ at }) => dayIn(at)]],
      ['Who', ({ actor }) => text(actor)],
      ['From', ({ address }) => text(address)],
      [
        'What',
        ({ action }) => ({ csv: action, shown: html`${sentenceOf(desk, action)}<small>${action}</small>` }),
      ],
      ['About', ({ subject }) => text(subject)],
      ['Detail', ({ detail }) => ({ csv: JSON.stringify(detail), shown: detailOf(detail) })],
    ],
    none: 'No line matches.',
  });
