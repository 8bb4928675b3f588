import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { pick } from '../support/pick.ts';
import { type ComposeFile, readCompose } from './compose.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const readYaml = async (file: string) => parse(await readFile(file, 'utf8'));

describe('docker-compose.yml with the profile watch', () => {
  let file: ComposeFile;
  before(async () => {
    file = await readCompose();
  });

  /** The file of ours that a container finds there, because it is mounted. */
  function inContainer(service: string, target: string): string {
    const mounts = (file.services[service]?.volumes ?? []).map((mount) => mount.split(':'));
    const found = mounts.find(([, at = '']) => target === at || target.startsWith(`${at}/`));
    assert.ok(found, `${service} has nothing at ${target}`);
    const [from = '', at = '', how] = found;
    assert.equal(how, 'ro', target);
    return path.join(root, from, target.slice(at.length));
  }

  it('has Prometheus and Grafana, in releases by their number, and without it neither', () => {
    const watching = Object.entries(file.services).filter(([, { profiles }]) => profiles);
    assert.deepEqual(
      watching.map(([name, { profiles }]) => [name, profiles]),
      [
        ['prometheus', ['watch']],
        ['grafana', ['watch']],
      ],
    );
    for (const [, { image }] of watching) assert.match(image, /:v?\d+\.\d+\.\d+$/);
    for (const { profiles, depends_on } of Object.values(file.services))
      for (const needed of Object.keys(depends_on ?? {}))
        assert.ok(profiles || !file.services[needed]?.profiles, `${needed} is not started without it`);
  });

  it('scrapes every process of ours at its management port, with the alarms', async () => {
    const [option = ''] = file.services.prometheus?.command ?? [];
    const config = await readYaml(inContainer('prometheus', option.replace('--config.file=', '')));
    assert.deepEqual(config.rule_files, ['rules/*.yml']);
    assert.ok(existsSync(inContainer('prometheus', '/etc/prometheus/rules/money.yml')));
    const { api, worker } = file.services;
    assert.ok(api?.ports?.includes('127.0.0.1:3001:3001'));
    assert.equal(worker?.environment?.WORKER_MANAGEMENT_PORT, 3001);
    const looked = (name: string) => [{ names: [name], type: 'A', port: 3001, refresh_interval: '15s' }];
    assert.deepEqual(pick(config.scrape_configs, 'dns_sd_configs'), [looked('api'), looked('worker')]);
  });

  it('shows the dashboard from that Prometheus', async () => {
    const provisioned = (name: string) =>
      readYaml(inContainer('grafana', `/etc/grafana/provisioning/${name}`));
    const { datasources } = await provisioned('datasources/prometheus.yml');
    const { hostname, port } = new URL(datasources[0].url);
    assert.equal(file.services[hostname]?.ports?.[0]?.split(':').at(-1), port);
    const { providers } = await provisioned('dashboards/malipo.yml');
    const home = String(file.services.grafana?.environment?.GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH);
    assert.equal(home, `${providers[0].options.path}/malipo.json`);
    const { templating } = JSON.parse(await readFile(inContainer('grafana', home), 'utf8'));
    assert.equal(templating.list[0].query, datasources[0].type);
  });
});
