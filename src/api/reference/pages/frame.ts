import { escapeHtml, guides } from '../guides.ts';
import type { OpenApi } from './document.ts';
import { operationsOf } from './document.ts';

export type Page = {
  /** path below `/docs`; '' is the first page */
  name: string;
  title: string;
  main: string;
  modules?: string[];
};

/** The URL that `addressOf` returns changes with the file's content. */
export type Site = { document: OpenApi; addressOf(file: string): string };

export function frame({ document, addressOf }: Site, page: Page): string {
  const { name, title, main, modules = [] } = page;
  const link = (to: string, text: string) =>
    `<li><a href="/docs${to && `/${to}`}"${to === name ? ' aria-current="page"' : ''}>${text}</a>`;
  const resources = document.tags.map((tag) => {
    const to = `reference/${tag.name}`;
    return `${link(to, tag.name)}${to === name ? operationLinks(document, tag.name) : ''}</li>`;
  });
  const guideLinks = Object.entries(guides).map(([to, text]) => `${link(to, text)}</li>`);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<link rel="icon" type="image/svg+xml" href="${addressOf('icon.svg')}">
<link rel="stylesheet" href="${addressOf('site.css')}">
</head>
<body data-page="${name}">
<a class="skip" href="#main">To the page</a>
<nav id="contents" aria-label="Documentation">
<p class="home"><a href="/docs">Malipo</a></p>
<div id="search" role="search" data-index="${addressOf('search.json')}" data-finder="${addressOf('find.js')}" data-library="${addressOf('minisearch.js')}" hidden>
<label for="wanted">Search the docs</label>
<input id="wanted" type="search" autocomplete="off">
<ul id="found" aria-live="polite"></ul>
</div>
<details id="places" open>
<summary>Pages</summary>
<ul>
${link('', 'First request')}</li>
${guideLinks.join('\n')}
</ul>
<p class="group">Reference</p>
<ul>
${resources.join('\n')}
${link('errors', 'errors')}</li>
${link('key', 'Make a key')}</li>
</ul>
</details>
</nav>
<main id="main">
${main}
</main>
${[...modules, 'guide.js', 'search.js'].map((file) => `<script type="module" src="${addressOf(file)}"></script>`).join('\n')}
</body>
</html>
`;
}

function operationLinks(document: OpenApi, tag: string): string {
  const links = operationsOf(document, tag).map(
    ({ operationId, method, path }) =>
      `<li><a href="#${operationId}"><span class="verb ${method}">${method.toUpperCase()}</span> ${path.slice(1)}</a></li>`,
  );
  return `\n<ul class="operations">\n${links.join('\n')}\n</ul>\n`;
}
