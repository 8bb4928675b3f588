import type { RawNotification } from '../../src/domain/channel.ts';
import { serve } from '../support/served.ts';

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
  const server = await serve((incoming, outgoing, body) => {
    const [, transactionId = null, token = null] = ADDRESS.exec(incoming.url ?? '') ?? [];
    received.push({
      method: incoming.method ?? '',
      transactionId,
      token,
      headers: incoming.headers as Record<string, string | undefined>,
      body,
    });
    outgoing.writeHead(answers.shift() ?? 204).end();
  });
  return { ...server, received, answers };
}
