import { serve } from './served.ts';

/** An HTTP proxy that passes requests on and loses answers, as a network between two machines does. */
export type ForgetfulProxy = {
  url: string;
  /** where requests go; nothing is passed on before it is set */
  target: string;
  /** how many of the coming answers to POSTs whose path ends so are lost, after they were given */
  lose(path: string, answers: number): void;
  /** how often requests of this path came */
  count(path: string): number;
  close(): Promise<void>;
};

export async function startForgetfulProxy(): Promise<ForgetfulProxy> {
  const toLose = new Map<string, number>();
  const counts = new Map<string, number>();
  const server = await serve(async (request, response, read) => {
    const path = request.url ?? '/';
    counts.set(path, (counts.get(path) ?? 0) + 1);
    const { host: _, connection: __, ...headers } = request.headers;
    const body = read.toString();
    const answer = await fetch(`${proxy.target}${path}`, {
      method: request.method ?? 'GET',
      headers: headers as Record<string, string>,
      ...(body === '' ? {} : { body }),
    }).catch(() => null);
    const left = request.method === 'POST' ? ending(toLose, path) : undefined;
    if (!answer || left) {
      if (left) toLose.set(left, (toLose.get(left) ?? 0) - 1);
      return response.destroy();
    }
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
    response.end(await answer.text());
  });
  const proxy: ForgetfulProxy = {
    ...server,
    target: '',
    lose: (path, answers) => void toLose.set(path, answers),
    count: (path) => [...counts].reduce((sum, [one, times]) => sum + (one.endsWith(path) ? times : 0), 0),
  };
  return proxy;
}

function ending(toLose: Map<string, number>, path: string): string | undefined {
  return [...toLose].find(([suffix, left]) => left > 0 && path.endsWith(suffix))?.[0];
}
