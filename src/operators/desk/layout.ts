import { Html, html } from '../../platform/http/html.ts';
import type { Desk } from './desk.ts';
import { menuGroups } from './page.ts';
import { style } from './style.ts';

export const DESK = '/desk';

type MenuLink = { to: string; group: string; words: string; isHere: boolean };

export function pageOf(asked: {
  title: string;
  body: Html;
  desk?: Pick<Desk, 'name' | 'csrf' | 'waiting'>;
  menu?: readonly MenuLink[];
  head?: Html;
}): string {
  const { title, body, desk, menu = [], head } = asked;
  const bar = desk
    ? html`<nav aria-label="Desk">${desk.waiting > 0 && html`<a class="badge" href="${DESK}">${desk.waiting} for you</a>`}${menuGroups.map(
        (group) =>
          groupOf(
            group,
            menu.filter((one) => one.group === group),
          ),
      )}</nav><form method="post" action="${DESK}/sign-out"><input type="hidden" name="csrf" value="${desk.csrf}"><button>Sign out ${desk.name}</button></form>`
    : html`<strong>Malipo</strong>`;
  const page = html`<html lang="en"><head><meta charset="utf-8"><title>${title} · Malipo desk</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><link rel="icon" href="data:,">${head}<style>${rawStyle}</style></head>
<body><a class="skip" href="#main">Skip to the content</a><header>${bar}</header><main id="main"><h1>${title}</h1>
${body}</main><footer>Times are those of Dar es Salaam (EAT, UTC+3).</footer></body></html>`;
  return `<!doctype html>${page.markup}`;
}

/** A group opens without scripts and closes the others. */
function groupOf(group: string, links: readonly MenuLink[]): Html | null {
  if (links.length === 0) return null;
  const isHere = links.some((one) => one.isHere);
  return html`<details name="menu"><summary${isHere && html` class="here"`}>${group}</summary><ul>${links.map(
    ({ to, words, isHere }) =>
      html`<li><a href="${to}"${isHere && html` aria-current="page"`}>${words}</a></li>`,
  )}</ul></details>`;
}

const rawStyle = Html.of([style], []);
