import { type IncomingMessage, request } from 'node:http';
import { CommandError } from './command-error.ts';

export type OperatorAccess = { url: string; token: string };

/** Longer than the slowest answer of the operator API. */
const TIMEOUT_MS = 60_000;
/** Time to read and match a file of 64 MiB. */
const FILE_TIMEOUT_MS = 600_000;

type Refusal = { message?: string; errors?: { field: string; message: string }[] };
type Query = Record<string, string | number | undefined>;
export type OperatorClient = ReturnType<typeof createOperatorClient>;

/** Throws a refusal with its message. `take` gets the text of every answer. */
export function createOperatorClient(
  { url, token }: OperatorAccess,
  take: (answer: string, isPage: boolean) => void = () => {},
) {
  async function send<Answer>(
    method: string,
    path: string,
    body?: object | Buffer,
    isPage = false,
  ): Promise<Answer> {
    const isFile = Buffer.isBuffer(body);
    const { status, text } = await exchange(`${url.replace(/\/+$/, '')}/operator/v1/${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined
          ? {}
          : { 'content-type': isFile ? 'application/octet-stream' : 'application/json' }),
      },
      body: body === undefined || isFile ? body : JSON.stringify(body),
      timeoutMs: isFile ? FILE_TIMEOUT_MS : TIMEOUT_MS,
    }).catch(({ message, code }) => {
      throw new CommandError(`The operator API at ${url} does not answer: ${message || code}`);
    });
    const answer = readAnswer(text);
    if (status >= 200 && status < 300 && answer !== null) {
      take(text, isPage);
      return answer as Answer;
    }
    if (answer?.message === undefined)
      throw new CommandError(`There is no operator API at ${url} (HTTP ${status}).`);
    const details = (answer?.errors ?? []).map(({ field, message }) => `\n  ${field}: ${message}`);
    throw new CommandError(`${answer.message}.${details.length > 1 ? details.join('') : ''}`);
  }

  function get<Answer>(path: string, query: Query = {}, isPage = false): Promise<Answer> {
    const given = new URLSearchParams();
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) given.set(name, String(value));
    const text = given.toString();
    return send('GET', text === '' ? path : `${path}?${text}`, undefined, isPage);
  }

  return {
    get: <Answer>(path: string, query: Query = {}) => get<Answer>(path, query),
    /** reads one page of many; `--json` prints each */
    page: <Answer>(path: string, query: Query = {}) => get<Answer>(path, query, true),
    post: <Answer>(path: string, body?: object) => send<Answer>('POST', path, body),
    postFile: <Answer>(path: string, bytes: Buffer) => send<Answer>('POST', path, bytes),
    put: <Answer>(path: string, body: object) => send<Answer>('PUT', path, body),
  };
}

export const segment = encodeURIComponent;

type Sent = {
  method: string;
  headers: Record<string, string>;
  body: string | Buffer | undefined;
  timeoutMs: number;
};

/** Avoids `fetch`: to load it would take a third of most commands' time. Does not follow redirects. */
async function exchange(address: string, sent: Sent): Promise<{ status: number; text: string }> {
  const { method, headers, body, timeoutMs } = sent;
  const url = new URL(address);
  const send = url.protocol === 'https:' ? (await import('node:https')).request : request;
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const options = { method, headers, signal: AbortSignal.timeout(timeoutMs) };
    send(url, options, resolve).on('error', reject).end(body);
  });
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) text += chunk;
  return { status: response.statusCode ?? 0, text };
}

function readAnswer(text: string): Refusal | null {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
