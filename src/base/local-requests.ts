type Asked = { method?: string | undefined; headers: Record<string, string | string[] | undefined> };

/** The names by which a machine means itself. */
export const LOCAL_HOSTS = ['127.0.0.1', '[::1]', 'localhost'] as const;

/** OPTIONS is a browser's question whether a page may ask at all. */
const CHANGES_NOTHING = new Set(['GET', 'HEAD', 'OPTIONS']);

/** A page of another site can send these media types, or none, without a CORS preflight. */
const SIMPLE = /^(text\/plain|application\/x-www-form-urlencoded|multipart\/form-data)\b|^$/i;

/**
 * Says why a listener that serves only these hosts refuses a request: another Host (another machine, or a
 * name that another site lets point here), or a page of another site that may change something. Returns null
 * if it takes the request.
 */
export function refusalOf({ method, headers }: Asked, hosts: readonly string[]): 'host' | 'site' | null {
  const { host = '', origin, 'content-type': type = '', 'sec-fetch-site': site } = headers;
  if (!hosts.includes(String(host).replace(/:\d+$/, '').toLowerCase())) return 'host';
  if (CHANGES_NOTHING.has(String(method)) || !SIMPLE.test(String(type))) return null;
  const isOwn =
    site === undefined ? origin === undefined || origin === `http://${host}` : OWN.has(String(site));
  return isOwn ? null : 'site';
}

/** `none` means that somebody typed the address. */
const OWN = new Set(['same-origin', 'none']);
