import assert from 'node:assert/strict';
import { createSocket, type Socket } from 'node:dgram';
import { createResolveHost } from '../../src/callbacks/resolve-host.ts';

const A = 1;
const AAAA = 28;
const NXDOMAIN = 3;
const SERVFAIL = 2;

/** What the name server says: addresses as bytes, an error, or nothing at all. */
type Zone = Record<string, { [A]?: number[][]; [AAAA]?: number[][]; code?: number } | 'silence'>;

const loopback6 = [...Array<number>(15).fill(0), 1];

const zone: Zone = {
  'both.example': {
    [A]: [
      [41, 59, 1, 1],
      [127, 0, 0, 1],
    ],
    [AAAA]: [loopback6],
  },
  'four.example': { [A]: [[41, 59, 1, 1]] },
  'six.example': { [AAAA]: [loopback6] },
  'none.example': {},
  'nowhere.example': { code: NXDOMAIN },
  'broken.example': { code: SERVFAIL },
  'silent.example': 'silence',
};

describe('the addresses of a name', () => {
  let server: Socket;
  let resolveHost: ReturnType<typeof createResolveHost>;
  before(async () => {
    server = createSocket('udp4').on('message', (question, { address, port }) => {
      const answer = answerTo(question);
      if (answer) server.send(answer, port, address);
    });
    await new Promise<void>((resolve) => server.bind(0, '127.0.0.1', resolve));
    resolveHost = createResolveHost([`127.0.0.1:${server.address().port}`]);
  });
  after(() => void server.close());

  it('are all of both families: none goes unchecked', async () => {
    assert.deepEqual(await resolveHost('both.example'), ['41.59.1.1', '127.0.0.1', '::1']);
    assert.deepEqual(await resolveHost('four.example'), ['41.59.1.1']);
    assert.deepEqual(await resolveHost('six.example'), ['::1']);
  });

  it('are missing for good when there is no such name, for now when the name server fails', async () => {
    await assert.rejects(resolveHost('nowhere.example'), { code: 'ENOTFOUND' });
    await assert.rejects(resolveHost('none.example'), { code: 'ENOTFOUND' });
    await assert.rejects(resolveHost('broken.example'), { code: 'EAI_AGAIN' });
  });

  it('are not looked up in this machine’s own list of hosts', async () => {
    await assert.rejects(resolveHost('ip6-localhost'), { code: 'ENOTFOUND' });
  });

  it('of one name do not wait for others whose name servers are silent', async () => {
    let ended = 0;
    const silent = Array.from({ length: 50 }, () =>
      assert.rejects(resolveHost('silent.example'), { code: 'EAI_AGAIN' }).then(() => {
        ended += 1;
      }),
    );
    assert.deepEqual(await resolveHost('four.example'), ['41.59.1.1']);
    assert.equal(ended, 0);
    await Promise.all(silent);
  });
});

/** RFC 1035 §4: the question is copied, each answer points back to its name. Unknown names do not exist. */
function answerTo(question: Buffer): Buffer | null {
  const labels: string[] = [];
  let at = 12;
  for (let length = question[at] ?? 0; length > 0; length = question[at] ?? 0) {
    labels.push(question.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  const type = question.readUInt16BE(at + 1) as typeof A | typeof AAAA;
  const known = zone[labels.join('.').toLowerCase()] ?? { code: NXDOMAIN };
  if (known === 'silence') return null;
  const addresses = known[type] ?? [];
  const head = Buffer.from(question.subarray(0, 12));
  head.writeUInt16BE(0x8180 | (known.code ?? 0), 2);
  head.writeUInt16BE(addresses.length, 6);
  head.writeUInt32BE(0, 8);
  const answers = addresses.map((bytes) =>
    Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 1, 0, bytes.length, ...bytes]),
  );
  return Buffer.concat([head, question.subarray(12, at + 5), ...answers]);
}
