import { serve } from '../support/served.ts';

/** A bank that answers every message badly, each time in another way, and quotes `words` while it does. */
export async function startBrokenBank(
  words: string,
): Promise<{ url: string; asked(): number; stop(): Promise<void> }> {
  let asked = 0;
  const server = await serve((_request, response) => {
    const answers = [
      () => response.writeHead(500, { 'content-type': 'text/html' }).end(`<h1>${words} failed</h1>`),
      () => response.writeHead(200, { 'content-type': 'application/xml' }).end(`<Document>${words}</Docu>`),
      () => response.writeHead(200, { 'content-type': 'application/json' }).end(`{"error": "${words}`),
      () => response.writeHead(302, { location: `http://127.0.0.1:9/${words}` }).end(words),
      () => response.writeHead(400, { 'x-reason': words }).end(words),
      () => response.writeHead(200, { 'content-length': '9999' }).write(words, () => response.destroy()),
    ];
    answers[asked % answers.length]?.();
    asked += 1;
  });
  return { url: server.url, asked: () => asked, stop: server.close };
}
