import net from 'node:net';

/**
 * A process that holds connections open as long as the server at `port` lets it: a third sends nothing, a third drips
 * a header, a third a body, one byte a second each. It says `{opened}` when all are open, and `{closedAfterMs}`, each
 * connection's life, when all were closed.
 */
const [port, count, apiKey] = process.argv.slice(2);
const total = Number(count);
const header = `POST /api/v1/payments/ussd HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${apiKey}\r\n`;
const kinds = [
  { first: '', drop: '' },
  { first: 'GET /api/v1/status HTTP/1.1\r\nHost: x\r\nX-Drip: ', drop: 'a' },
  { first: `${header}Content-Length: 60000\r\n\r\n{`, drop: ' ' },
] as const;

const SLICES = 100;
const CONNECTING_AT_ONCE = 100;

const lives: number[] = [];
const drips: { socket: net.Socket; drop: string }[] = [];
let opened = 0;

function open(index: number): Promise<void> {
  const { first, drop } = kinds[index % kinds.length] ?? kinds[0];
  return new Promise((resolve) => {
    const socket = net.connect(Number(port), '127.0.0.1');
    let started = 0;
    socket.once('connect', () => {
      started = performance.now();
      opened += 1;
      socket.write(first);
      drips.push({ socket, drop });
      resolve();
    });
    socket.on('data', () => {});
    socket.on('error', () => resolve());
    socket.once('close', () => {
      if (started > 0) lives.push(performance.now() - started);
      if (lives.length === total) process.send?.({ closedAfterMs: lives }, () => process.exit(0));
    });
  });
}

// A part of the connections at a time, so that the drops are spread over the second.
let slice = 0;
setInterval(() => {
  slice = (slice + 1) % SLICES;
  for (let i = slice; i < drips.length; i += SLICES) {
    const drip = drips[i];
    if (drip?.socket.writable && drip.drop !== '') drip.socket.write(drip.drop);
  }
}, 1_000 / SLICES);

let next = 0;
async function openAll(): Promise<void> {
  while (next < total) {
    next += 1;
    await open(next);
  }
}
await Promise.all(Array.from({ length: CONNECTING_AT_ONCE }, openAll));
process.send?.({ opened });
