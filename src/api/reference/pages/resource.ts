import { codeHtml, escapeHtml, inlineHtml, markdownHtml } from '../guides.ts';
import {
  exampleOf,
  type Field,
  fieldsOf,
  type Located,
  type OpenApi,
  type Operation,
  operationsOf,
  ownParametersOf,
  refusalsOf,
  type Schema,
} from './document.ts';
import { requestExamplesOf } from './request-examples.ts';
import { keyField, sendForm } from './send.ts';

/** Null if the pages cannot send requests. `demoKey` is filled in as the key to send with. */
export type Sending = { demoKey: string | null } | null;

export function resourcePage(
  document: OpenApi,
  tag: string,
  { remedies, sending }: { remedies: Record<string, string>; sending: Sending },
): string {
  const { description = '' } = document.tags.find(({ name }) => name === tag) ?? {};
  const operations = operationsOf(document, tag).map((one) =>
    operationHtml(document, one, { remedies, canSend: sending !== null }),
  );
  const webhooks =
    tag === 'callbacks'
      ? Object.entries(document.components.pathItems).map(([event, { post }]) =>
          eventHtml(document, event, post),
        )
      : [];
  return `<article class="reference">
<h1 id="top">${tag}</h1>
<p>${inlineHtml(description)}.</p>
${sending === null ? '' : keyField(sending.demoKey)}
${operations.join('\n')}
${webhooks.length > 0 ? '<h2 id="events">What we send</h2>' : ''}
${webhooks.join('\n')}
</article>`;
}

function operationHtml(
  document: OpenApi,
  operation: Located,
  { remedies, canSend }: { remedies: Record<string, string>; canSend: boolean },
): string {
  const { operationId: id, method, path, requestBody, responses } = operation;
  const sent = bodyFields(document, requestBody?.content);
  const answer = bodyFields(document, responses[200]?.content);
  const asked: Field[] = ownParametersOf(operation).map(({ name, required, description, schema }) => ({
    name,
    isRequired: required,
    schema: { ...schema, ...(description === undefined ? {} : { description }) },
  }));
  return section(
    operation,
    `<p class="address"><span class="verb ${method}">${method.toUpperCase()}</span> <code>${path}</code></p>`,
    {
      words: `${fieldList('Address and headers', id, asked, { alsoIn: sent })}
${fieldList('Request', id, sent)}
${fieldList('Answer', `${id}-answer`, answer, { isAnswer: true })}
${refusalList(operation, remedies)}`,
      code: `${requestExamplesOf(operation)
        .map(({ language, code }) => codeHtml(code, language))
        .join(
          '',
        )}${canSend ? sendForm(operation) : ''}${answerHtml('Answer', exampleOf(responses[200]?.content))}`,
    },
  );
}

function eventHtml(document: OpenApi, event: string, post: Operation): string {
  const { requestBody, operationId: id } = post;
  return section({ ...post, description: '' }, `<p class="address"><code>${event}</code></p>`, {
    words: fieldList('Body', id, bodyFields(document, requestBody?.content)),
    code: answerHtml('Body', exampleOf(requestBody?.content)),
  });
}

type Columns = { words: string; code: string };

function section(
  { operationId, summary, description }: Operation,
  address: string,
  { words, code }: Columns,
): string {
  return `<section class="operation" id="${operationId}">
<h2><a class="anchor" href="#${operationId}">${inlineHtml(summary)}</a></h2>
${address}
<div class="columns">
<div>
${markdownHtml(description ?? '')}${words}
</div>
<div class="examples">
${code}
</div>
</div>
</section>`;
}

function bodyFields(document: OpenApi, content: Record<string, { schema: Schema }> | undefined): Field[] {
  const schema = content?.['application/json']?.schema;
  return schema ? fieldsOf(document, schema) : [];
}

/** A field with the same name as one in `alsoIn` gets another HTML id. */
function fieldList(
  title: string,
  id: string,
  fields: Field[],
  { isAnswer = false, alsoIn = [] }: { isAnswer?: boolean; alsoIn?: Field[] } = {},
): string {
  const placeOf = ({ name }: Field) => (alsoIn.some((other) => other.name === name) ? `${id}-address` : id);
  if (fields.length === 0) return '';
  return `<h3>${title}</h3>
<dl class="fields">
${fields.map((field) => fieldHtml(placeOf(field), field, isAnswer)).join('\n')}
</dl>`;
}

function fieldHtml(id: string, { name, schema, isRequired }: Field, isAnswer: boolean): string {
  const mark = isAnswer ? (isRequired ? '' : 'not always there') : isRequired ? 'required' : '';
  const said = [
    schema.description === undefined ? '' : `${inlineHtml(schema.description)}.`,
    rangeOf(schema),
    schema.example === undefined ? '' : `Example: <code>${escapeHtml(textOf(schema.example))}</code>`,
  ];
  return `<div id="${anchorOf(id, name)}"><dt><code>${name}</code> <span class="type">${typeOf(schema)}</span>${
    mark && ` <span class="mark">${mark}</span>`
  }</dt><dd>${said.filter(Boolean).join(' ')}</dd></div>`;
}

export function anchorOf(id: string, field: string): string {
  return `${id}-${field.replaceAll('[]', '')}`;
}

function typeOf({ type, enum: values, const: only, anyOf }: Schema): string {
  if (only !== undefined) return textOf(only);
  const types = [type ?? (values ? 'string' : anyOf ? 'object' : 'any value')].flat();
  return types.map((one) => (one === 'array' ? 'list' : one)).join(' or ');
}

const VALUES_MAX = 12;

function rangeOf({
  enum: values,
  minimum,
  maximum,
  minLength,
  maxLength,
  default: fallback,
}: Schema): string {
  const shown = values?.filter((value) => value !== null) ?? [];
  const range = [
    shown.length > 0 && shown.length <= VALUES_MAX
      ? `One of ${shown.map((value) => `<code>${escapeHtml(textOf(value))}</code>`).join(', ')}.`
      : '',
    spanOf(minimum, maximum, ''),
    spanOf(minLength, maxLength, ' characters'),
    fallback === undefined ? '' : `<code>${escapeHtml(textOf(fallback))}</code> when left out.`,
  ];
  return range.filter(Boolean).join(' ');
}

function spanOf(least: number | undefined, most: number | undefined, unit: string): string {
  const shown = most === Number.MAX_SAFE_INTEGER ? undefined : most;
  if (least === undefined && shown === undefined) return '';
  if (shown === undefined) return `At least ${least?.toLocaleString('en-US')}${unit}.`;
  return `${(least ?? 0).toLocaleString('en-US')} to ${shown.toLocaleString('en-US')}${unit}.`;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function refusalList(operation: Operation, remedies: Record<string, string>): string {
  const items = refusalsOf(operation).map(
    ({ status, code }) =>
      `<div><dt><a href="/docs/errors#${code}"><code>${code}</code></a> <span class="type">${status}</span></dt><dd>${inlineHtml(remedies[code] ?? '')}</dd></div>`,
  );
  return `<details class="refusals"><summary>Errors, and what to do</summary>
<dl class="fields">
${items.join('\n')}
</dl>
</details>`;
}

function answerHtml(title: string, example: unknown): string {
  if (example === undefined) return '';
  return `<h3>${title}</h3>\n${codeHtml(shortened(JSON.stringify(example, null, 2)), 'json')}`;
}

/** Shortens a picture in an example, which has thousands of characters. */
function shortened(text: string): string {
  return text.replace(/"(data:image\/png;base64,.{40})[^"]*"/g, '"$1…"');
}
