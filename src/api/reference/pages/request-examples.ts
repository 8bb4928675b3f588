import { exampleOf, type Located } from './document.ts';

/** Examples read the address and the key from the environment, like those of the quickstart. */
export type RequestExample = { language: 'sh' | 'js' | 'python' | 'php'; code: string };

const ID = '09c97599-0ab0-5cb9-ad18-d6327c66ef03';
const EVENT_ID = 'evt_cb17153c834e5bb197ec6e9dc52ab9fe';

/** `isOnce`: each run makes a new idempotency key, so that the example can run again. */
type Wanted = { method: string; address: string; isOnce: boolean; body: unknown };

export function requestExamplesOf(operation: Located): RequestExample[] {
  const { method, path, parameters, requestBody } = operation;
  const query = parameters.filter(
    ({ in: place, schema }) => place === 'query' && schema.example !== undefined,
  );
  const days = query.filter(({ name }) => ['from', 'to'].includes(name));
  const search = days.map(({ name, schema }) => `${name}=${encodeURIComponent(String(schema.example))}`);
  const body = exampleOf(requestBody?.content);
  const wanted = {
    method: method.toUpperCase(),
    address:
      path.replace('{id}', ID).replace('{event_id}', EVENT_ID) +
      (search.length ? `?${search.join('&')}` : ''),
    isOnce: parameters.some(({ name, required }) => name === 'Idempotency-Key' && required),
    body,
  };
  return [
    { language: 'sh', code: curl(wanted) },
    { language: 'js', code: node(wanted) },
    { language: 'python', code: python(wanted) },
    { language: 'php', code: php(wanted) },
  ];
}

function curl({ method, address, isOnce, body }: Wanted): string {
  const needsMethod = method !== 'GET' && !(method === 'POST' && body !== undefined);
  const json = body === undefined ? '' : JSON.stringify(body, null, 2).replaceAll("'", "'\\''");
  return [
    `curl -sS${needsMethod ? ` -X ${method}` : ''} "$API_URL${address}"`,
    '-H "Authorization: Bearer $API_KEY"',
    ...(body === undefined ? [] : [`-H 'Content-Type: application/json'`]),
    ...(isOnce ? ['-H "Idempotency-Key: $(openssl rand -hex 16)"'] : []),
    ...(body === undefined ? [] : [`-d '${json}'`]),
  ].join(' \\\n  ');
}

function node({ method, address, isOnce, body }: Wanted): string {
  const type = body === undefined ? '' : `    'Content-Type': 'application/json',\n`;
  const key = isOnce ? `    'Idempotency-Key': crypto.randomUUID(),\n` : '';
  return `const { API_URL, API_KEY } = process.env;
const answer = await fetch(\`\${API_URL}${address}\`, {
  method: '${method}',
  headers: {
    Authorization: \`Bearer \${API_KEY}\`,
${type}${key}  },${
    body === undefined ? '' : `\n  body: JSON.stringify(${indented(JSON.stringify(body, null, 2), 2)}),`
  }
});
console.log(await answer.json());`;
}

function python({ method, address, isOnce, body }: Wanted): string {
  const type = body === undefined ? '' : `    "Content-Type": "application/json",\n`;
  const key = isOnce ? `    "Idempotency-Key": str(uuid.uuid4()),\n` : '';
  const data = body === undefined ? 'None' : `json.dumps(${literalOf(body, PYTHON)}).encode()`;
  return `import json, os, urllib.error, urllib.request${isOnce ? ', uuid' : ''}

headers = {
    "Authorization": f"Bearer {os.environ['API_KEY']}",
${type}${key}}
data = ${data}
request = urllib.request.Request(f"{os.environ['API_URL']}${address}", data, headers, method="${method}")
try:
    answer = urllib.request.urlopen(request)
except urllib.error.HTTPError as error:
    answer = error
print(json.load(answer))`;
}

function php({ method, address, isOnce, body }: Wanted): string {
  const type = body === undefined ? '' : `    'Content-Type: application/json',\n`;
  const key = isOnce ? `    'Idempotency-Key: ' . bin2hex(random_bytes(16)),\n` : '';
  const content =
    body === undefined ? '' : `\n    'content' => json_encode(${indented(literalOf(body, PHP), 4)}),`;
  return `<?php
$headers = [
    'Authorization: Bearer ' . getenv('API_KEY'),
${type}${key}];
$http = [
    'method' => '${method}',
    'header' => $headers,
    'ignore_errors' => true,${content}
];
$context = stream_context_create(['http' => $http]);
echo file_get_contents(getenv('API_URL') . '${address}', false, $context), "\\n";`;
}

type Notation = { open: string; close: string; arrow: string; words: Record<string, string>; quote: string };
const PYTHON = {
  open: '{',
  close: '}',
  arrow: ': ',
  words: { true: 'True', false: 'False', null: 'None' },
  quote: '"',
};
const PHP = { open: '[', close: ']', arrow: ' => ', words: {}, quote: "'" };

function literalOf(value: unknown, notation: Notation): string {
  const { open, close, arrow, words, quote } = notation;
  if (typeof value === 'string')
    return quote + value.replaceAll(/["'\\]/g, (c) => (c === quote || c === '\\' ? `\\${c}` : c)) + quote;
  if (typeof value !== 'object' || value === null) return words[String(value)] ?? String(value);
  const isList = Array.isArray(value);
  const items = isList
    ? value.map((item) => literalOf(item, notation))
    : Object.entries(value).map(
        ([key, item]) => `${literalOf(key, notation)}${arrow}${literalOf(item, notation)}`,
      );
  if (items.length === 0) return isList ? '[]' : `${open}${close}`;
  return (
    `${isList ? '[' : open}\n${items.map((item) => `    ${indented(item, 4)},`).join('\n')}\n` +
    `${isList ? ']' : close}`
  );
}

function indented(text: string, spaces: number): string {
  return text.replaceAll('\n', `\n${' '.repeat(spaces)}`);
}
