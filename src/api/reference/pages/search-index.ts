import { guideHtml, guides } from '../guides.ts';
import { fieldsOf, type Located, type OpenApi, operationsOf, ownParametersOf } from './document.ts';
import { anchorOf } from './resource.ts';

/** What the search finds, in the order of its kinds: a title, where it leads, and what else it is found by. */
type Found = [kind: 'page' | 'operation' | 'error' | 'field', title: string, address: string, text: string];

/** The index that the browser searches by itself, as JSON. */
export function searchIndex(document: OpenApi, remedies: Record<string, string>): string {
  const operations = operationsOf(document);
  const found: Found[] = [
    ...Object.keys(guides).flatMap(headingsOf),
    ...operations.map(
      (one): Found => ['operation', `${one.method.toUpperCase()} ${one.path}`, pageOf(one), one.summary],
    ),
    ...Object.entries(remedies).map(
      ([code, remedy]): Found => ['error', code, `/docs/errors#${code}`, remedy],
    ),
    ...operations.flatMap((one) => fieldsFound(document, one)),
  ];
  return JSON.stringify(found);
}

const pageOf = ({ tags, operationId }: Located) => `/docs/reference/${tags?.[0]}#${operationId}`;

function headingsOf(name: string): Found[] {
  return [...guideHtml(name).matchAll(/<h[1-3] id="([^"]+)"><a[^>]*>(.*?)<\/a>/g)].map(
    ([, id, heading = '']) => [
      'page',
      heading.replace(/<[^>]+>/g, ''),
      `/docs/${name}#${id}`,
      guides[name] ?? '',
    ],
  );
}

/** Of requests, queries and answers. */
function fieldsFound(document: OpenApi, one: Located): Found[] {
  const { operationId: id, requestBody, responses } = one;
  const place = `/docs/reference/${one.tags?.[0]}`;
  const own = ownParametersOf(one).map(
    ({ name, description = '' }): Found => ['field', name, `${place}#${anchorOf(id, name)}`, description],
  );
  const bodies = [
    { content: requestBody?.content, id },
    { content: responses[200]?.content, id: `${id}-answer` },
  ].flatMap(({ content, id: prefix }) => {
    const schema = content?.['application/json']?.schema;
    return (schema ? fieldsOf(document, schema) : []).map(
      ({ name, schema: { description = '' } }): Found => [
        'field',
        name,
        `${place}#${anchorOf(prefix, name)}`,
        description,
      ],
    );
  });
  return [...own, ...bodies];
}
