import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RawNotification } from '../../src/domain/channel.ts';

/** A notification door that keeps what comes, and answers what it is told to. */
export type Inbox = {
  url: string;
  received: RawNotification[];
  /** status of the next answers, in turn; 204 when there is none left */
  answers: number[];
  close(): Promise<void>;
};

const ADDRESS = /^\/channels\/[^/]+(?:\/(?:([^/]+)\/)?([^/]+))?$/;

export async function openInbox(): Promise<Inbox> {
  const received: RawNotification[] = [];
  const answers: number[] = [];
  const server = createServer(async (incoming, outgoing) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const [, transactionId = null, token = null] = ADDRESS.exec(incoming.url ?? '') ?? [];
    received.push({
      method: incoming.method ?? '',
      transactionId,
      token,
      headers: incoming.headers as Record<string, string | undefined>,
      body: Buffer.concat(chunks),
    });
    outgoing.writeHead(answers.shift() ?? 204).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    answers,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
