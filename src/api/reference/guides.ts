import { Marked, type Tokens } from 'marked';
import { readPackageFile } from '../../platform/process/package-files.ts';

/** Guides are in reading order. Each key is the name of a file in docs/. */
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

/** Returns a guide as HTML. We wrote the file, so nothing in it is sanitised. */
export function guideHtml(name: string): string {
  return markdownHtml(guideText(name));
}

/** Returns a guide as Markdown, for programs; its links lead to Markdown too. */
export function guideMarkdown(name: string): string {
  return guideText(name).replace(/\[([^[\]]*)\]\(([^()\s]+)\)/g, (_link, text: string, href: string) => {
    const address = addressOf(href);
    return address === null ? text : `[${text}](${address.replace(/^\/docs\/[a-z-]+/, '$&.md')})`;
  });
}

/** The list has the form of llmstxt.org. */
export function guidesList(): string {
  const lines = Object.entries(guides).map(([name, title]) => `- [${title}](/docs/${name}.md)\n`);
  return `# Malipo\n\n> Payments and payouts for merchants in Tanzania.\n\n## Guides\n\n${lines.join('')}`;
}

function guideText(name: string): string {
  return readPackageFile(name === 'changelog' ? 'CHANGELOG.md' : `docs/${name}.md`);
}

export function inlineHtml(text: string): string {
  return markdown.parseInline(text, { async: false });
}

/** Reads the remedy of each error from the table in docs/api.md, its only source. */
export function remediesByCode(): Record<string, string> {
  const rows = readPackageFile('docs/api.md').matchAll(/^\| `([a-z_]+)` \| \d{3} \| (.+) \|$/gm);
  return Object.fromEntries(
    [...rows].map(([, code, remedy = '']) => [code, remedy.replace('](#', '](api.md#')]),
  );
}

/** Renders a block of code. docs/site/guide.js adds the copy button and the tabs of languages. */
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

/** Turns a link of docs/ into an address of the site; null if the site does not have the page. */
export function addressOf(href: string): string | null {
  if (/^(https?:|#)/.test(href)) return href;
  if (href === '../openapi.json') return '/openapi.json';
  const file = href.replace('../CHANGELOG', 'changelog').replace(/^docs\//, '');
  const [, name = '', anchor = ''] = /^([a-z-]+)\.md(#.*)?$/.exec(file) ?? [];
  return Object.hasOwn(guides, name) ? `/docs/${name}${anchor}` : null;
}

/** Makes the same anchor as GitHub, so that a link works in both places. */
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
