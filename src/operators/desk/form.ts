import { inEnglish } from '../../domain/messages.ts';
import { type Html, html } from '../../platform/http/html.ts';
import type { Desk } from './desk.ts';

type Field = {
  name: string;
  label: string;
  /** default: one line of text; a choice of two is a pair of radios */
  kind?: 'area' | 'choice' | 'boxes' | 'secret' | 'day' | 'file';
  options?: readonly (readonly [value: string, words: string])[];
  value?: string;
  hint?: string;
  isOptional?: boolean;
  /** the radio before the fields of this group, of which one is sent */
  group?: string;
};

type AskedForm = {
  act: string;
  label: string;
  fields?: readonly Field[];
  keep?: Record<string, string>;
  /** text before the button: it says what happens next */
  note?: string;
};

/** Posts to its page as `act`; `keep` are hidden fields. A refused form keeps the typed values. */
export function form(desk: Desk, asked: AskedForm): Html {
  const { act, label, fields = [], keep = {}, note } = asked;
  const isTyped = wasTyped(desk, asked);
  const id = (name: string) => `${act}${Object.values(keep).join('-')}-${name}`.replaceAll(/[^\w.-]/g, '');
  const shownOf = (field: Field) => fieldOf(field, id(field.name), isTyped ? typedInto(desk, field) : null);
  const groups = new Set(fields.flatMap(({ group }) => group ?? []));
  const encoding = fields.some(({ kind }) => kind === 'file') && html` enctype="multipart/form-data"`;
  return html`<form method="post"${encoding}>
<input type="hidden" name="csrf" value="${desk.csrf}"><input type="hidden" name="act" value="${act}">
${Object.entries(keep).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
${[...groups].map((group) => {
  const its = fields.filter((field) => field.group === group);
  const [value = ''] = its[0]?.name.split('.') ?? [];
  const isChosen = isTyped && desk.typed?.get('group') === value;
  return html`<fieldset class="group">${mark({ type: 'radio', name: 'group', value, id: id(value), isChosen }, group)}<div>${its.map(shownOf)}</div></fieldset>`;
})}${fields.filter(({ group }) => group === undefined).map(shownOf)}
${note === undefined ? null : html`<p class="note">${note}</p>`}<button>${label}</button></form>`;
}

type Typed = { values: readonly string[]; wrong?: string | undefined };

function typedInto({ typed, problem }: Desk, { name }: Field): Typed {
  const own = name.split(':');
  const errors = problem?.detail.errors ?? [];
  const wrong = errors.find(({ field }) => {
    const path = field.replace(/^payload\./, '');
    return own.includes(path) || path.startsWith(`${name}.`) || name.startsWith(`${path}.`);
  });
  return { values: typed?.getAll(name) ?? [], wrong: wrong && `It ${inEnglish(wrong.message)}.` };
}

function wasTyped({ typed }: Desk, { act, keep = {} }: AskedForm): boolean {
  if (typed?.get('act') !== act) return false;
  return Object.entries(keep).every(([name, value]) => typed.get(name) === value);
}

export function folded(desk: Desk, title: string, asked: AskedForm): Html {
  return html`<details${wasTyped(desk, asked) && html` open`}><summary>${title}</summary>${form(desk, asked)}</details>`;
}

/** An address with filters can be sent to a colleague. */
export function filters(desk: Desk, fields: readonly Field[]): Html | null {
  if (fields.length === 0) return null;
  return html`<form method="get" class="filters" role="search">${fields.map((field) =>
    fieldOf({ ...field, isOptional: true }, `filter-${field.name}`, {
      values: desk.query.has(field.name)
        ? desk.query.getAll(field.name)
        : [field.value ?? ''].filter(Boolean),
    }),
  )}<button>Show</button></form>`;
}

export type { Field };

export const reasonField: Field = { name: 'reason', label: 'Why', kind: 'area' };

function fieldOf(field: Field, id: string, typed: Typed | null): Html {
  const { label, kind, hint, isOptional = false } = field;
  if (kind === 'boxes' || isOneOfTwo(field)) return marksOf(field, id, typed);
  const words = html`${label}${isOptional || kind === 'choice' ? '' : html` <span aria-hidden="true">*</span>`}`;
  const below = hint === undefined ? null : html`<small id="${id}-hint">${hint}</small>`;
  return html`<p><label for="${id}">${words}</label>${inputOf(field, id, typed)}${wrongOf(typed, id)}${below}</p>`;
}

const isOneOfTwo = ({ kind, options = [], isOptional }: Field) =>
  kind === 'choice' && !isOptional && options.filter(([one]) => one !== '').length <= 2;

const wrongOf = (typed: Typed | null, id: string) =>
  typed?.wrong === undefined ? null : html`<small class="wrong" id="${id}-wrong">${typed.wrong}</small>`;

function inputOf(field: Field, id: string, typed: Typed | null): Html {
  const { name, kind, options = [], value = '', isOptional = false, hint } = field;
  // A page never contains a token.
  const shown = kind === 'secret' ? '' : (typed?.values[0] ?? (typed ? '' : value));
  const told = [
    typed?.wrong === undefined ? [] : `${id}-wrong`,
    hint === undefined ? [] : `${id}-hint`,
  ].flat();
  const more = html`id="${id}" name="${name}"${told.length === 0 ? '' : html` aria-describedby="${told.join(' ')}"`}${typed?.wrong === undefined ? '' : html` aria-invalid="true"`}${isOptional ? '' : html` required`}`;
  switch (kind) {
    case 'area':
      return html`<textarea ${more} rows="2">${shown}</textarea>`;
    case 'choice':
      return html`<select ${more}>${options.map(
        ([one, words]) =>
          html`<option value="${one}"${one === shown ? html` selected` : ''}>${words}</option>`,
      )}</select>`;
    case 'secret':
      return html`<input type="password" autocomplete="off" spellcheck="false" ${more}>`;
    case 'file':
      return html`<input type="file" ${more}>`;
    case 'day':
      return html`<input type="date" ${more} value="${shown}">`;
    default:
      return html`<input type="text" autocomplete="off" ${more} value="${shown}">`;
  }
}

function marksOf(
  { name, label, kind, options = [], value = '', hint }: Field,
  id: string,
  typed: Typed | null,
) {
  const chosen = typed?.values ?? value.split(/[ ,]/);
  const type = kind === 'boxes' ? 'checkbox' : 'radio';
  const marks = options
    .filter(([one]) => one !== '')
    .map(([one, words], at) =>
      mark({ type, name, value: one, id: `${id}-${at}`, isChosen: chosen.includes(one) }, words),
    );
  return html`<fieldset><legend>${label}</legend>${wrongOf(typed, id)}${marks}${hint && html`<small>${hint}</small>`}</fieldset>`;
}

type Mark = { type: 'checkbox' | 'radio'; name: string; value: string; id: string; isChosen: boolean };

const mark = ({ type, name, value, id, isChosen }: Mark, words: string): Html =>
  html`<label for="${id}"><input type="${type}" id="${id}" name="${name}" value="${value}"${type === 'radio' && html` required`}${isChosen && html` checked`}> ${words}</label>`;
