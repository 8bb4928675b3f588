type Asked = { method?: string | undefined; headers: Record<string, string | string[] | undefined> };

export const LOCAL_HOSTS = ['127.0.0.1', '[::1]', 'localhost'] as const;

/** A browser sends OPTIONS to ask whether a page may make a request. */
const CHANGES_NOTHING = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Pages of other sites can send these media types, or none, without a CORS preflight. */
const SIMPLE = /^(text\/plain|application\/x-www-form-urlencoded|multipart\/form-data)\b|^$/i;

/**
 * Returns why a listener for these hosts refuses a request, or null. `host`: another Host header (a foreign
 * name may resolve to this machine). `site`: a page of another site tries to change something.
 */
export function refusalOf({ method, headers }: Asked, hosts: readonly string[]): 'host' | 'site' | null {
  const { host = '', origin, 'content-type': type = '', 'sec-fetch-site': site } = headers;
  if (!hosts.includes(String(host).replace(/:\d+$/, '').toLowerCase())) return 'host';
  if (CHANGES_NOTHING.has(String(method)) || !SIMPLE.test(String(type))) return null;
  const isOwn =
    site === undefined ? origin === undefined || origin === `http://${host}` : OWN.has(String(site));
  return isOwn ? null : 'site';
}

/** `none`: a person typed the address. */
const OWN = new Set(['same-origin', 'none']);
