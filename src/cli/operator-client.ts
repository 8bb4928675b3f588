import { CommandError } from './command-error.ts';

/** Whose calls these are, and where they go. */
export type OperatorAccess = { url: string; token: string };

/** Longer than the longest answer of the operator API. */
const TIMEOUT_MS = 60_000;

type Refusal = { message?: string; errors?: { field: string; message: string }[] };
export type Query = Record<string, string | number | undefined>;
export type OperatorClient = ReturnType<typeof createOperatorClient>;

/** Calls of the operator API. A refusal is thrown as the sentence that it carries. */
export function createOperatorClient({ url, token }: OperatorAccess) {
  async function send<Answer>(method: string, path: string, body?: object): Promise<Answer> {
    const response = await fetch(`${url.replace(/\/+$/, '')}/operator/v1/${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    }).catch((error) => {
      throw new CommandError(`The operator API at ${url} does not answer: ${reasonOf(error)}`);
    });
    const answer = (await response.json().catch(() => null)) as Refusal | null;
    if (response.ok && answer !== null) return answer as Answer;
    if (answer?.message === undefined)
      throw new CommandError(`There is no operator API at ${url} (HTTP ${response.status}).`);
    const details = (answer?.errors ?? []).map(({ field, message }) => `\n  ${field}: ${message}`);
    throw new CommandError(`${answer.message}.${details.length > 1 ? details.join('') : ''}`);
  }

  function get<Answer>(path: string, query: Query = {}): Promise<Answer> {
    const given = new URLSearchParams();
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) given.set(name, String(value));
    const text = given.toString();
    return send('GET', text === '' ? path : `${path}?${text}`);
  }

  /** All items of a list, page by page. */
  async function* all<Item>(path: string, query: Query = {}): AsyncGenerator<Item> {
    for (let page = 1; ; page += 1) {
      const { data, pagination } = await get<{ data: Item[]; pagination: { last_page: number } }>(path, {
        ...query,
        page,
        per_page: 200,
      });
      yield* data;
      if (page >= pagination.last_page) return;
    }
  }

  return {
    get,
    all,
    post: <Answer>(path: string, body?: object) => send<Answer>('POST', path, body),
    put: <Answer>(path: string, body: object) => send<Answer>('PUT', path, body),
  };
}

/** Typed text as a segment of an address. */
export const segment = encodeURIComponent;

function reasonOf(error: unknown): string {
  const { cause, message } = error as Error;
  return cause instanceof Error && cause.message !== '' ? cause.message : message;
}
