import { Marked, type Tokens } from 'marked';
import { readPackageFile } from '../../platform/process/package-files.ts';

/** The pages that merchants read beside the reference, in the order of reading. The key is the name of the file in docs/. */
export const guides: Record<string, string> = {
  quickstart: 'Quickstart',
  api: 'Requests, errors and retries',
  bills: 'Bills and QR codes',
  numbers: 'Standing numbers',
  pay: 'The page to pay on',
  refunds: 'Refunds',
  batches: 'Batches of payouts',
  settlement: 'Settlement',
  fees: 'Fees',
  callbacks: 'Callbacks',
  statements: 'Statements',
  clients: 'Clients',
  sandbox: 'Sandbox',
  'going-live': 'Going live',
  questions: 'Questions and answers',
  changelog: 'Changelog',
};

/** A guide as HTML without scripts and styles: it is our own file, so its content is trusted. */
export function guideHtml(name: string): string {
  return markdownHtml(guideText(name));
}

/** A guide as it is written, for programs that read: its links lead to other guides as they are written. */
export function guideMarkdown(name: string): string {
  return guideText(name).replace(/\[([^[\]]*)\]\(([^()\s]+)\)/g, (_link, text: string, href: string) => {
    const address = addressOf(href);
    return address === null ? text : `[${text}](${address.replace(/^\/docs\/[a-z-]+/, '$&.md')})`;
  });
}

/** The guides for programs that read, as llmstxt.org proposes it. */
export function guidesList(): string {
  const lines = Object.entries(guides).map(([name, title]) => `- [${title}](/docs/${name}.md)\n`);
  return `# Malipo\n\n> Payments and payouts for merchants in Tanzania.\n\n## Guides\n\n${lines.join('')}`;
}

function guideText(name: string): string {
  return readPackageFile(name === 'changelog' ? 'CHANGELOG.md' : `docs/${name}.md`);
}

/** A sentence of ours with its code and links, without a paragraph around it. */
export function inlineHtml(text: string): string {
  return markdown.parseInline(text, { async: false });
}

/** Reads what to do about each error from the table of docs/api.md, the only place that says it. */
export function remediesByCode(): Record<string, string> {
  const rows = readPackageFile('docs/api.md').matchAll(/^\| `([a-z_]+)` \| \d{3} \| (.+) \|$/gm);
  return Object.fromEntries(
    [...rows].map(([, code, remedy = '']) => [code, remedy.replace('](#', '](api.md#')]),
  );
}

/** Writes a block of code as guides have it: the script beside adds a button and, for one step in several languages, tabs. */
export function codeHtml(text: string, language: string): string {
  return `<pre data-language="${language}"><code tabindex="0">${escapeHtml(text)}</code></pre>\n`;
}

export function markdownHtml(text: string): string {
  return markdown.parse(text, { async: false });
}

const markdown = new Marked({
  gfm: true,
  renderer: {
    heading({ tokens, depth }: Tokens.Heading) {
      const content = this.parser.parseInline(tokens);
      const id = anchorOf(this.parser.parseInline(tokens, this.parser.textRenderer));
      return `<h${depth} id="${id}"><a class="anchor" href="#${id}">${content}</a></h${depth}>\n`;
    },
    code({ text, lang }: Tokens.Code) {
      return codeHtml(text, (lang ?? '').replace(/\W/g, ''));
    },
    link({ href, tokens }: Tokens.Link) {
      const content = this.parser.parseInline(tokens);
      const target = addressOf(href);
      return target === null ? content : `<a href="${escapeHtml(target)}">${content}</a>`;
    },
  },
});

/** Returns the address on the site of a link in docs/; null for a page that is only in the repository. */
export function addressOf(href: string): string | null {
  if (/^(https?:|#)/.test(href)) return href;
  if (href === '../openapi.json') return '/openapi.json';
  const file = href.replace('../CHANGELOG', 'changelog').replace(/^docs\//, '');
  const [, name = '', anchor = ''] = /^([a-z-]+)\.md(#.*)?$/.exec(file) ?? [];
  return Object.hasOwn(guides, name) ? `/docs/${name}${anchor}` : null;
}

/** GitHub makes the same anchor, so that one link works in both places. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/&[a-z]+;|&#\d+;/g, '')
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');
}

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
