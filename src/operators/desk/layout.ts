import { Html, html } from '../../platform/http/html.ts';
import type { Desk } from './desk.ts';
import { style } from './style.ts';

export const DESK = '/desk';

/** `menu` says where this person may go; there is none before the sign-in. */
export function pageOf(asked: {
  title: string;
  body: Html;
  desk?: Pick<Desk, 'name' | 'csrf'>;
  menu?: readonly { to: string; words: string; isHere: boolean }[];
  head?: Html;
}): string {
  const { title, body, desk, menu = [], head } = asked;
  const bar = desk
    ? html`<nav aria-label="Desk"><ul>${menu.map(
        ({ to, words, isHere }) =>
          html`<li><a href="${to}"${isHere ? html` aria-current="page"` : ''}>${words}</a></li>`,
      )}</ul></nav><form method="post" action="${DESK}/sign-out"><input type="hidden" name="csrf" value="${desk.csrf}"><button>Sign out ${desk.name}</button></form>`
    : html`<strong>Malipo</strong>`;
  const page = html`<html lang="en"><head><meta charset="utf-8"><title>${title} · Malipo desk</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><link rel="icon" href="data:,">${head}<style>${rawStyle}</style></head>
<body><a class="skip" href="#main">To the page</a><header>${bar}</header><main id="main"><h1>${title}</h1>
${body}</main><footer>Times are those of Dar es Salaam (EAT, UTC+3).</footer></body></html>`;
  return `<!doctype html>${page.markup}`;
}

const rawStyle = Html.of([style], []);
