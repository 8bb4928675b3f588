import { GatewayError } from '../../../domain/errors.ts';
import { html } from '../../../platform/http/html.ts';
import { readPackageFile } from '../../../platform/process/package-files.ts';
import type { Page } from '../page.ts';
import { sentenceOf } from '../words.ts';

/** Names of runbooks in sentences link here. */
export const runbookPage: Page = {
  path: 'runbooks/{id}',
  title: 'Runbook',
  async show({ id }) {
    const text = /^[a-z-]+$/.test(id) ? readRunbook(id) : null;
    if (text === null) throw new GatewayError('not_found', `There is no runbook ${id}`);
    return html`<pre>${sentenceOf(text.replaceAll(/\]\(([a-z-]+\.md)/g, '](docs/operations/$1'))}</pre>`;
  },
};

function readRunbook(name: string): string | null {
  try {
    return readPackageFile(`docs/operations/${name}.md`);
  } catch {
    return null;
  }
}
