import { serve } from '../../support/served.ts';

/** What goes wrong with a message: answered 503 unheard, swallowed unheard, or heard and its answer lost. */
type Trouble = { times: number; how: '503' | 'swallow' | 'answer lost' };
export type Line = {
  url: string;
  /** the next messages to paths that end so */
  breakAt(ending: string, trouble: Trouble): void;
  mend(): void;
  /** messages to paths that end so, since the last mend */
  seen(ending: string): number;
  /** what was answered, in order, since the last mend */
  exchanges: Exchange[];
  close(): Promise<void>;
};
type Exchange = {
  method: string;
  path: string;
  headers: Record<string, unknown>;
  requestBody: unknown;
  status: number;
  responseBody: unknown;
};

/** Stands between networks and the service and does to their messages what lines do. */
export async function openLine(target: () => string): Promise<Line> {
  const troubles = new Map<string, Trouble>();
  const paths: string[] = [];
  const exchanges: Exchange[] = [];

  function troubleAt(path: string): Trouble['how'] | null {
    const [, trouble] = [...troubles].find(([ending]) => path.endsWith(ending)) ?? [];
    if (!trouble || trouble.times <= 0) return null;
    trouble.times -= 1;
    return trouble.how;
  }

  const server = await serve(async (incoming, outgoing, body) => {
    const path = String(incoming.url);
    paths.push(path);
    const how = troubleAt(path);
    if (how === '503') return outgoing.writeHead(503).end('{}');
    if (how === 'swallow') return incoming.socket.destroy();
    const { connection, host, 'content-length': _, ...headers } = incoming.headers;
    const answer = await fetch(`${target()}${path}`, {
      method: String(incoming.method),
      headers: headers as Record<string, string>,
      ...(body.length > 0 ? { body } : {}),
    });
    const text = await answer.text();
    exchanges.push({
      method: String(incoming.method),
      path,
      headers: incoming.headers,
      requestBody: body.length > 0 ? JSON.parse(body.toString()) : undefined,
      status: answer.status,
      responseBody: JSON.parse(text),
    });
    if (how === 'answer lost') return incoming.socket.destroy();
    return outgoing.writeHead(answer.status, { 'content-type': 'application/json' }).end(text);
  });

  return {
    ...server,
    breakAt: (ending, trouble) => troubles.set(ending, trouble),
    mend() {
      troubles.clear();
      paths.length = 0;
      exchanges.length = 0;
    },
    seen: (ending) => paths.filter((path) => path.endsWith(ending)).length,
    exchanges,
  };
}
