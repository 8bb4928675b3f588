import { randomBytes } from 'node:crypto';
import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { errorBody, GatewayError, withDocs } from '../../domain/errors.ts';

type ParserError = Error & { code?: string };

const statusOf: Record<string, number> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};
const sentences: Record<number, string> = {
  400: 'This is not an HTTP request that can be read',
  403: 'A page of another site cannot ask for this',
  408: 'The request took too long to arrive',
  413: 'The extensions of the chunks are too large',
  417: 'The expectation in the header Expect is not supported',
  421: 'Nothing is served under this Host: name it in ALLOWED_HOSTS',
  431: 'The header is larger than 16 KiB',
};

/** Node's parser refuses these before any route; we answer with the JSON body of other errors. */
export function answerMalformed(server: Server, docsOrigin?: string): void {
  server.on('clientError', (error: ParserError, socket: Socket) => {
    // The client is gone or already has an answer.
    if (!socket.writable || error.code === 'ECONNRESET') return void socket.destroy();
    const status = statusOf[error.code ?? ''] ?? 400;
    const { headers, body } = answerOf(status, docsOrigin);
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.end(
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}Connection: close\r\n\r\n${body}`,
    );
  });
  server.on('checkExpectation', (_request: IncomingMessage, response: ServerResponse) =>
    refuse(response, 417, docsOrigin),
  );
}

/** HTTP/1.1 requires a Host. Node's own refusal would have no body. */
export function lacksHost(request: IncomingMessage): boolean {
  return request.httpVersion === '1.1' && request.headers.host === undefined;
}

/** Answers a request that reaches no route, and closes its connection. */
export function refuse(response: ServerResponse, status: number, docsOrigin?: string): void {
  const { headers, body } = answerOf(status, docsOrigin);
  response.writeHead(status, { ...headers, Connection: 'close' }).end(body);
}

function answerOf(status: number, docsOrigin?: string): { headers: Record<string, string>; body: string } {
  const requestId = `req_${randomBytes(8).toString('hex')}`;
  const error = new GatewayError('invalid_request', sentences[status] ?? 'The request cannot be read');
  const body = withDocs(JSON.stringify(errorBody(error, requestId)), docsOrigin);
  const headers = {
    'Content-Type': 'application/json; charset=utf-8',
    'Cache-Control': 'no-store',
    'Content-Language': 'en',
    'X-Request-Id': requestId,
    'Content-Length': String(Buffer.byteLength(body)),
  };
  return { headers, body };
}
