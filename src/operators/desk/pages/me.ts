import { html } from '../../../platform/http/html.ts';
import { TOKEN_DAYS } from '../../people/token-text.ts';
import { form } from '../form.ts';
import type { Page } from '../page.ts';
import { requireNumber } from '../typed.ts';
import { facts, timeOf } from '../words.ts';

export const mePage: Page = {
  path: 'me',
  title: 'You',
  menu: ['Today', 'You'],
  async show(desk) {
    const { name, roles, token_id } = await desk.ask('whoAmI');
    return html`${facts([
      ['Name', name],
      ['Your roles', roles.join(', ')],
      ['Your token', html`<code>${token_id}</code>`],
    ])}<h2>A new token</h2>${form(desk, {
      act: 'rotate',
      label: 'Make a new one',
      fields: [
        { name: 'days', label: 'Valid for this many days', value: String(TOKEN_DAYS) },
        { name: 'token', label: 'Your token again', kind: 'secret' },
      ],
      note: 'All your other tokens and their sessions end: sign in again with the new token.',
    })}`;
  },
  acts: {
    async rotate(desk, form) {
      await desk.confirm(form.get('token') ?? '');
      const days = requireNumber(form.get('days'), 'days');
      const { token, expires_at } = await desk.ask('rotateOwnToken', { body: { days } });
      return html`<p>Keep it where nobody else can read it. It is shown only now, and is valid until ${timeOf(expires_at)}.</p>
<p><code>${token}</code></p><p><a href="/desk/sign-in">Sign in with it</a></p>`;
    },
  },
};
