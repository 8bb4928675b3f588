import { type Html, html } from '../../../platform/http/html.ts';
import { lists } from '../../list-table.ts';
import { views } from '../../view-table.ts';
import type { Answer, Desk } from '../desk.ts';
import { folded, form, reasonField } from '../form.ts';
import { listPage, type Page } from '../page.ts';
import { proposing } from '../proposing.ts';
import { viewAt } from '../view.ts';
import { segment } from '../words.ts';

type Proposal = Answer<'getProposal'>['proposal'];
const at = (id: string) => `/desk/proposals/${segment(id)}`;

/** It also has the fence's form: no other page is about the fence. */
export const proposalsPage = listPage(lists.proposals, {
  path: 'proposals',
  title: 'Proposals',
  menu: ['Today', 'Proposals'],
  below: (desk) => proposing(desk, 'fence.lift', {}),
});

export const proposalPage: Page = {
  path: 'proposals/{id}',
  title: 'Proposal',
  async show(desk) {
    const answer = await desk.ask('getProposal', { id: desk.id });
    const { proposal } = answer;
    return html`${viewAt(desk, views.proposal, { answer })}
<details><summary>The payload, as it is hashed</summary><p><code>${JSON.stringify(proposal.payload)}</code></p></details>${proposal.state === 'proposed' && decide(desk, proposal)}`;
  },
  acts: {
    async approve(desk, form) {
      await desk.confirm(form.get('token') ?? '');
      const body = { payload_hash: form.get('payload_hash') };
      await desk.ask('approve', { id: desk.id, body });
      return at(desk.id);
    },
    async reject(desk, form) {
      await desk.ask('reject', { id: desk.id, body: { reason: form.get('reason') } });
      return at(desk.id);
    },
  },
};

function decide(desk: Desk, { action, payload_hash, proposed_by }: Proposal): Html | null {
  const isOwn = proposed_by === desk.name;
  if (!isOwn && !desk.mayAsk(action)) return html`<p class="note">Another role approves this.</p>`;
  const off = isOwn ? 'Withdraw it' : 'Reject it';
  const fields = [reasonField];
  return html`${
    isOwn
      ? html`<p class="note">You proposed it: another operator has to approve it. Send the address of this page to a colleague.</p>`
      : html`<h2>Approve</h2>${form(desk, {
          act: 'approve',
          label: 'Approve it: it is carried out at once',
          keep: { payload_hash },
          fields: [{ name: 'token', label: 'Your token again', kind: 'secret' }],
        })}`
  }${folded(desk, off, { act: 'reject', label: off, fields })}`;
}
