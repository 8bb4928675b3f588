// tests: slow
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { attentionReasons } from '../../../src/domain/attention.ts';
import { needsPromtool, prometheusFolder, ruleFiles, rules, runPromtool } from './promtool.ts';

const root = path.resolve(import.meta.dirname, '../../..');

const readme = readFileSync(path.join(root, 'docs/operations/README.md'), 'utf8');
/** A row of the overview that leads from this name to this page. */
const isListed = (name: string, page: string) =>
  readme.split('\n').some((row) => row.includes(`\`${name}\``) && row.includes(`(${path.basename(page)})`));

describe('the alarms', () => {
  for (const { alert, annotations, labels, expr } of rules)
    it(`${alert} says how urgent it is, and names a page that says what it is for`, () => {
      assert.ok(['page', 'ticket'].includes(labels.severity));
      assert.ok(annotations.summary.length > 10);
      const page = path.join(root, annotations.runbook);
      assert.ok(existsSync(page), annotations.runbook);
      const reasons = [...expr.matchAll(/reason=~?"([\w|]+)"/g)].flatMap(([, of = '']) => of.split('|'));
      for (const name of reasons.length > 0 ? reasons : [alert]) assert.ok(isListed(name, page), name);
    });

  it('call a person for every reason of the attention list', () => {
    const covered = new Set(
      rules.flatMap(({ expr }) =>
        [...expr.matchAll(/reason=~?"([\w|]+)"/g)].flatMap(([, of = '']) => of.split('|')),
      ),
    );
    assert.deepEqual([...covered].sort(), [...attentionReasons].sort());
  });

  it('each have a test of being quiet and one of firing', () => {
    for (const file of ruleFiles) {
      const tests = parse(
        readFileSync(path.join(prometheusFolder, 'tests', file.replace('.yml', '.test.yml')), 'utf8'),
      ).tests.map(({ name }: { name: string }) => name);
      const names = rules.filter((rule) => rule.file === file).map(({ alert }) => alert);
      assert.deepEqual(
        tests,
        names.flatMap((name) => [`${name} is quiet`, `${name} fires`]),
      );
    }
  });

  describe('by promtool', () => {
    before(needsPromtool);
    it('are valid, and so is the scrape configuration', () => {
      runPromtool('check', 'config', 'prometheus.yml');
    });
    for (const file of ruleFiles)
      it(`${file} fires and is quiet as its tests say`, () => {
        runPromtool('test', 'rules', `tests/${file.replace('.yml', '.test.yml')}`);
      });
  });
});
