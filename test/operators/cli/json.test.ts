import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { Command } from 'commander';
import { createProgram } from '../../../src/app/cli/program.ts';
import { auditPage, auditVerified } from '../../../src/operators/api/schemas.ts';
import type { Runs } from '../../../src/operators/cli/context.ts';
import { useOperatorDesk } from '../../support/operator-desk.ts';

const nothing: Runs = { asOperator: async () => {}, onStores: async () => {} };
const whole = await createProgram(nothing);

describe('--json', () => {
  const { desk } = useOperatorDesk();
  let folder: string;
  before(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'malipo-json-'));
  });
  after(() => rm(folder, { recursive: true }));

  const leavesOf = (command: Command): Command[] =>
    command.commands.length === 0 ? [command] : command.commands.flatMap(leavesOf);
  const pathOf = (command: Command): string[] =>
    command.parent === null ? [] : [...pathOf(command.parent), command.name()];
  /** Something for whatever the command needs, of the kind that it asks for. */
  function argumentsOf(command: Command): string[] {
    const given = command.registeredArguments.filter(({ required }) => required);
    const needed = command.options.filter(({ mandatory }) => mandatory);
    return [
      ...given.map((one) => one.argChoices?.[0] ?? someValue(one.name())),
      ...needed.flatMap((one) => [one.long ?? '', one.argChoices?.[0] ?? someValue(one.name())]),
    ];
  }
  function someValue(name: string): string {
    if (name === 'to') return 'http://127.0.0.1:1/';
    return /amount|percentage|minimum|maximum|days|hours/.test(name) ? '1' : 'x';
  }
  /** What the command asks for, and what it prints by itself. */
  async function take(leaf: Command): Promise<{ asked: (boolean | undefined)[]; printed: string }> {
    const asked: (boolean | undefined)[] = [];
    const runs: Runs = {
      asOperator: async ({ json }) => void asked.push(json),
      onStores: async (_work, options) => void asked.push(options?.json),
    };
    const written: string[] = [];
    const { write } = process.stdout;
    process.stdout.write = (text: string) => written.push(text) > 0;
    try {
      const typed = [...pathOf(leaf), ...argumentsOf(leaf), '--json'];
      const program = await createProgram(runs, typed);
      await program.parseAsync(typed, { from: 'user' });
    } finally {
      process.stdout.write = write;
    }
    return { asked, printed: written.join('') };
  }

  for (const leaf of leavesOf(whole)) {
    const name = pathOf(leaf).join(' ');
    it(`is known to ${name}`, async () => {
      const { asked, printed } = await take(leaf).catch((error: Error) =>
        assert.fail(`${name}: ${error.message}`),
      );
      if (asked.length > 0) assert.deepEqual(asked, [true]);
      else assert.equal(typeof JSON.parse(printed), 'object');
    });
  }

  const json = async (...args: string[]) =>
    (await desk.cli('asha', ...args, '--json')).map((line) => JSON.parse(line));

  it('prints the audit log as the API gives it, and what its check found as the API says it', async () => {
    const [page] = await json('audit', 'export');
    assert.ok(auditPage.parse(page).lines.length > 0);
    const [verified] = await json('audit', 'verify');
    assert.equal(auditVerified.parse(verified).breach, null);
    assert.ok(verified.lines >= page.lines.length);
  });

  it('prints what the check of an export found', async () => {
    const exported = await desk.cli('asha', 'audit', 'export');
    const file = path.join(folder, 'audit.txt');
    const check = async () => {
      const printed: string[] = [];
      const program = await createProgram(nothing);
      const audit = program.commands.find((command) => command.name() === 'audit');
      audit?.configureOutput({ writeOut: (text) => printed.push(text) });
      const error = await program
        .parseAsync(['audit', 'verify', '--file', file, '--json'], { from: 'user' })
        .then(
          () => null,
          ({ message }: Error) => message,
        );
      return { verified: auditVerified.parse(JSON.parse(printed.join(''))), error };
    };
    await writeFile(file, `${exported.join('\n')}\n`);
    assert.deepEqual((await check()).verified.lines, exported.length);
    await writeFile(file, exported.join('\n').replace('operators.create', 'operators.credit'));
    const { verified, error } = await check();
    assert.match(verified.breach ?? '', /line \d+ is not what was written/);
    assert.match(error ?? '', /The audit log was changed/);
  });
});
