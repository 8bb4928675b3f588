import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { createProgram } from '../../../src/app/cli/program.ts';
import { loadConfig } from '../../../src/config/config.ts';
import { createRuns } from '../../../src/operators/cli/context.ts';
import { createAuthorities } from '../../support/certificates.ts';

const secret = () => randomBytes(32).toString('base64');

describe('channels check on the command line', () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'malipo-check-'));
  const made = createAuthorities();
  const ca = made.authority('network');
  const network = made.issue('network', 'provider.test');
  let server: Server;
  let url: string;

  before(async () => {
    // A provider as GSMA describes it: a heartbeat, and an enquiry that knows nothing.
    server = createServer(network, ({ url: asked = '' }, response) => {
      response.statusCode = asked === '/heartbeat' ? 200 : 404;
      response.end('{"errorCategory":"identification","errorCode":"identifierError"}');
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(() => {
    server.close();
    made.remove();
    rmSync(folder, { recursive: true });
  });

  async function check(
    connections: object,
    networks = {},
  ): Promise<{ lines: string[]; error: string | null }> {
    const file = path.join(folder, 'channels.json');
    writeFileSync(file, JSON.stringify({ connections, networks }));
    const variables = {
      MALIPO_ENV: 'development',
      DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
      CHANNELS_FILE: file,
      KEY_HASH_SECRET: secret(),
      ENCRYPTION_KEY: secret(),
      NOTIFICATION_SECRET: secret(),
      PAGE_KEY: secret(),
      SUBMISSION_KEY: secret(),
    };
    const lines: string[] = [];
    const runs = createRuns({
      access: () => Promise.reject(new Error('no operator API')),
      config: async () => loadConfig(variables),
      environment: async () => variables,
      print: (line) => lines.push(line),
    });
    const program = (await createProgram(runs)).exitOverride();
    const error = await program.parseAsync(['node', 'malipo', 'channels', 'check']).then(
      () => null,
      (thrown: Error) => thrown.message,
    );
    return { lines, error };
  }

  const gsma = (reach: object) => ({ protocol: 'gsma-mm-1.2', settings: { url }, reach });

  const halopesaAt = (to: string, reach: object) => ({
    protocol: 'halopesa',
    settings: { url: to, username: 'u', password: 'p', secret: 's', accountId: '1', businessNumber: '1' },
    reach,
  });

  it('does not say that what was asked nothing works', async () => {
    const { lines, error } = await check({ line: halopesaAt(url, { ca, serverName: 'provider.test' }) });
    assert.match(lines[0] ?? '', /^line +halopesa +not asked +a connection opens/);
    assert.equal(error, null);
  });

  it('says what works, until when its certificates are good, and which lines are in plain', async () => {
    const bills = { protocol: 'gsma-bills', settings: { tokens: ['t'.repeat(24)] } };
    const reach = { insecure_http: 'leased line 4711' };
    const halopesa = halopesaAt('http://127.0.0.1:1/ServiceAPI', reach);
    const way = { ca, serverName: 'provider.test' };
    const { lines, error } = await check({ provider: gsma(way), bills, halopesa });
    assert.match(
      lines[0] ?? '',
      /^provider +gsma-mm-1\.2 +works +answers the heartbeat, and accepts our credentials$/,
    );
    assert.match(lines[1] ?? '', /^bills +gsma-bills +not asked +it calls us; we never call it$/);
    assert.match(lines[2] ?? '', /^halopesa +halopesa +failed +nothing listens there \(ECONNREFUSED/);
    assert.equal(lines[3], 'halopesa may use plain HTTP: leased line 4711');
    assert.match(lines[4] ?? '', /^provider: ca \(CN=network\) ends on \d{4}-\d\d-\d\d$/);
    assert.equal(error, '1 of 3 do not work');
  });

  it('warns where one network tells of payments over two connections that number them apart', async () => {
    const pushes = gsma({ ca, serverName: 'provider.test' });
    const bills = (also: object) => ({
      protocol: 'gsma-bills',
      settings: { tokens: ['t'.repeat(24)] },
      ...also,
    });
    const networks = { 'm-pesa': { payments: 'provider', bills: ['bills'] } };
    const { lines } = await check({ provider: pushes, bills: bills({}) }, networks);
    const warned = /^m-pesa: pushes over provider and bills over bills have separate receipts/;
    assert.ok(
      lines.some((line) => warned.test(line)),
      lines.join('\n'),
    );
    const shared = await check({ provider: pushes, bills: bills({ receipts: 'provider' }) }, networks);
    assert.ok(!shared.lines.some((line) => warned.test(line)));
  });

  it('names what is wrong with a way', async () => {
    const stranger = made.authority('stranger');
    const serverName = 'provider.test';
    const { lines } = await check({
      name: gsma({ ca }),
      authority: gsma({ ca: stranger, serverName }),
      proxy: gsma({ ca, serverName, proxy: 'http://127.0.0.1:1' }),
      address: gsma({ ca, serverName, outboundAddress: '192.0.2.1' }),
    });
    assert.match(
      lines[0] ?? '',
      /failed +we call an address, and its certificate has a name \(reach\.serverName\)/,
    );
    assert.match(lines[1] ?? '', /failed +its certificate is of no authority that we trust \(reach\.ca\)/);
    assert.match(lines[2] ?? '', /failed +the proxy does not let us through/);
    assert.match(lines[3] ?? '', /failed +we have no such address \(reach\.outboundAddress\)/);
  });
});
