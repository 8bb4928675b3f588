import assert from 'node:assert/strict';
import { request as httpRequest } from 'node:http';
import { assertAsDocumented } from '../../support/contract.ts';
import { isOfCatalogue, sentencesOf } from './sentences.ts';

export type Answer = {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers of many shapes and compare them
  body: any;
};

/** One request on the wire; its answer must be as the OpenAPI document says, and known in Swahili. */
export function send(
  port: number,
  method: string,
  path: string,
  payload: string | Buffer | undefined,
  headers: Record<string, string | string[]>,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = httpRequest({ port, host: '127.0.0.1', method, path, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        const isJson = String(response.headers['content-type']).includes('json') && text !== '';
        const body = isJson ? JSON.parse(text) : null;
        const answer = { status: response.statusCode ?? 0, headers: response.headers, text, body };
        try {
          assertAsDocumented(method, path, answer);
          if (!path.startsWith('/channels/')) assertOfCatalogue(answer);
          resolve(answer);
        } catch (error) {
          reject(error);
        }
      });
    });
    request.on('error', reject);
    request.end(payload);
  });
}

/** Every answer that a test gets: a sentence that is in no catalogue stays English for whoever asks for Swahili. */
function assertOfCatalogue({ headers, text, body }: Answer): void {
  if (headers['content-language'] !== 'en' || typeof body?.success !== 'boolean') return;
  for (const { value } of sentencesOf(text))
    assert.ok(isOfCatalogue(value), `src/domain/messages lacks: ${value}`);
}
