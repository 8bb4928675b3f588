import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parse, stringify } from 'yaml';
import { cacheFolder } from '../../../sandbox/local/tools/cache.ts';
import { samplesOf } from './exposition.ts';

export const prometheusFolder = path.resolve(import.meta.dirname, '../../../deploy/prometheus');

const kept = path.join(cacheFolder(), 'promtool/usr/bin/promtool');
/** PROMTOOL, else what `.ci/run` keeps in the cache, else what is on the path. `.ci/run` fails without it. */
const promtool = process.env.PROMTOOL || (existsSync(kept) ? kept : 'promtool');
const isThere = spawnSync(promtool, ['--version']).status === 0;

/** Ends a suite, or leaves it out with a loud line, where there is no promtool. */
export function needsPromtool(this: Mocha.Context): void {
  if (isThere) return;
  console.warn(
    '== NOT TESTED: there is no promtool (Debian: apt-get install prometheus), so no alarm was checked.',
  );
  this.skip();
}

/** Throws with what promtool printed when it finds fault. */
export function runPromtool(...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(promtool, args, { encoding: 'utf8', cwd: prometheusFolder });
  if (status !== 0) throw new Error(`promtool ${args.join(' ')}\n${stdout}${stderr}`);
  return stdout;
}

export type Rule = {
  alert: string;
  expr: string;
  labels: { severity: string };
  annotations: { summary: string; runbook: string };
};

export const ruleFiles = readdirSync(path.join(prometheusFolder, 'rules'));
export const rules: (Rule & { file: string })[] = ruleFiles.flatMap((file) => {
  const { groups } = parse(readFileSync(path.join(prometheusFolder, 'rules', file), 'utf8'));
  return groups.flatMap((group: { rules: Rule[] }) => group.rules.map((rule) => ({ ...rule, file })));
});

const MINUTES = 40;

/**
 * Throws unless the alarm fires where a process answers with these texts at /metrics, one every `interval` (a minute) and then
 * the last one again and again.
 */
export function assertFires(alert: string, texts: readonly string[], interval = '1m'): void {
  const rule = rules.find((one) => one.alert === alert);
  if (!rule) throw new Error(`there is no alarm ${alert}`);
  const series = new Map<string, number[]>();
  texts.forEach((text, minute) => {
    for (const { name, labels, value } of samplesOf(text)) {
      if (!rule.expr.includes(name)) continue;
      const pairs = Object.entries({ ...labels, instance: 'a', job: 'malipo' });
      const key = `${name}{${pairs.map(([label, of]) => `${label}=${JSON.stringify(of)}`).join(',')}}`;
      const values = series.get(key) ?? new Array(minute).fill(0);
      series.set(key, [...values, value]);
    }
  });
  const folder = mkdtempSync(path.join(os.tmpdir(), 'malipo-alarm-'));
  try {
    const file = path.join(folder, 'test.yml');
    const test = {
      rule_files: [path.join(prometheusFolder, 'rules', rule.file)],
      evaluation_interval: interval,
      tests: [
        {
          interval,
          input_series: [...series].map(([name, values]) => ({
            series: name,
            values: `${values.join(' ')}+0x${MINUTES}`,
          })),
          promql_expr_test: [
            {
              // At any moment of the time that is looked at.
              expr: `clamp_max(count(max_over_time(ALERTS{alertname="${alert}",alertstate="firing"}[${MINUTES}m])), 1)`,
              eval_time: `${MINUTES}m`,
              exp_samples: [{ labels: '{}', value: 1 }],
            },
          ],
        },
      ],
    };
    writeFileSync(file, stringify(test));
    runPromtool('test', 'rules', file);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
