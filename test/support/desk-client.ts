/** A browser of the desk without the browser: it keeps cookies, follows what it is told, and sends forms as they stand. */
export type DeskClient = ReturnType<typeof createDeskClient>;
type Shown = { status: number; text: string; headers: Headers; location: string | null };

export function createDeskClient(
  url: string,
  { cookie = '', headers = {} }: { cookie?: string; headers?: Record<string, string> } = {},
) {
  let jar = cookie;

  async function send(
    method: string,
    path: string,
    more: { body?: string | FormData; headers?: Record<string, string> } = {},
  ): Promise<Shown> {
    const response = await fetch(`${url}${path}`, {
      method,
      redirect: 'manual',
      headers: { ...headers, ...(jar === '' ? {} : { cookie: jar }), ...more.headers },
      ...(more.body === undefined ? {} : { body: more.body }),
    });
    const set = response.headers.get('set-cookie');
    if (set !== null) jar = set.split(';')[0] ?? '';
    const { status, headers: answered } = response;
    return { status, text: await response.text(), headers: answered, location: answered.get('location') };
  }

  const get = (path: string, more: Record<string, string> = {}) => send('GET', path, { headers: more });
  const own = { 'content-type': 'application/x-www-form-urlencoded', origin: url };
  const post = (
    path: string,
    fields: Record<string, string> | URLSearchParams,
    more: Record<string, string> = {},
  ) => send('POST', path, { body: String(new URLSearchParams(fields)), headers: { ...own, ...more } });

  /** As a person submits a form of this page: with what proves that it is of this session. */
  async function submit(path: string, fields: Record<string, string>): Promise<Shown> {
    const { text } = await get(path);
    return post(path, { csrf: csrfIn(text), ...seenIn(text, fields.act ?? ''), ...fields });
  }

  /** The same with a file, as a browser sends that. */
  async function upload(path: string, fields: Record<string, string>, file: Blob | string): Promise<Shown> {
    const { text } = await get(path);
    const form = new FormData();
    for (const [name, value] of Object.entries({ csrf: csrfIn(text), ...fields })) form.append(name, value);
    form.append('file', typeof file === 'string' ? new Blob([file]) : file, 'statement.csv');
    return send('POST', path, { body: form, headers: { origin: url } });
  }

  return {
    get,
    post,
    submit,
    upload,
    csrf: async () => csrfIn((await get('/desk/me')).text),
    signIn: (token: string, next = '/desk') => post('/desk/sign-in', { token, next }),
    get cookie() {
      return jar;
    },
  };
}

/** What the first form of this act keeps unseen. */
function seenIn(page: string, act: string): { seen?: string } {
  const [, seen] = page.split(`name="act" value="${act}">\n<input type="hidden" name="seen" value="`);
  return seen === undefined
    ? {}
    : { seen: (seen.split('"')[0] ?? '').replaceAll('&quot;', '"').replaceAll('&#39;', "'") };
}

function csrfIn(page: string): string {
  return /name="csrf" value="([^"]*)"/.exec(page)?.[1] ?? '';
}
