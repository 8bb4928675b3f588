import assert from 'node:assert/strict';
import { createProgram } from '../../src/app/cli/program.ts';
import { forEachLimit } from '../../src/domain/limits.ts';
import { askersOf } from '../../src/operators/actions/actions.ts';
import { calls } from '../../src/operators/api/calls.ts';
import { operatorOpenApiText } from '../../src/operators/api/openapi.ts';
import type { Asked } from '../../src/operators/asked.ts';
import { createRuns } from '../../src/operators/cli/context.ts';
import type { Desk } from '../../src/operators/desk/desk.ts';
import { formOf } from '../../src/operators/desk/page.ts';
import { proposalOf, proposing } from '../../src/operators/desk/proposing.ts';
import { roles } from '../../src/operators/people/roles.ts';
import { pascalCase } from '../../src/platform/http/openapi.ts';
import { actions } from '../support/actions.ts';
import { useOperatorDesk } from '../support/operator-desk.ts';
import { typedOf } from '../support/typed-example.ts';

type Payload = Record<string, unknown>;

/** Members that nobody types: a form sends them, or the server reads them. */
function withoutSeen(payload: object, asked: readonly Asked[]): Payload {
  const names = asked.flatMap(({ name }) => name.split(':')).map((name) => name.split('.')[0] ?? name);
  return Object.fromEntries(Object.entries(payload).filter(([name]) => names.includes(name)));
}

describe('a declared action', () => {
  const { desk } = useOperatorDesk();

  async function proposedBy(args: string[]): Promise<Payload> {
    const sent: Payload[] = [];
    const runs = createRuns({
      access: async () => assert.fail(),
      config: async () => assert.fail(),
      print: () => {},
    });
    const program = await createProgram({
      ...runs,
      asOperator: async (_asked, work) => {
        const post = async (_path: string, body: Payload) => {
          sent.push(body);
          return { proposal: { id: 'pr_1', summary: 's', payload_hash: 'h', expires_at: 'e' } };
        };
        const get = async () => ({ limits: forEachLimit(() => 1), own: [], announced: null });
        await work({ api: { get, post } as never, print: () => {}, write: () => {}, answer: () => {} });
      },
    });
    await program.parseAsync(args, { from: 'user' });
    assert.equal(sent.length, 1, args.join(' '));
    return sent[0] ?? {};
  }

  for (const [name, { command, asked, example }] of Object.entries(actions)) {
    it('names in the API document all who may ask for it', () => {
      const { components } = JSON.parse(operatorOpenApiText({ propose: calls.propose }, actions));
      for (const [name, action] of Object.entries(actions)) {
        const { description } = components.schemas[`Propose${pascalCase(name)}`];
        for (const role of askersOf(action)) assert.match(description, new RegExp(`\\b${role}\\b`), name);
      }
    });

    it(`${name}: its command proposes its example`, async () => {
      const [reason, payload] = example;
      const words = command.split(' ').map((word) => {
        const named = /^<(.+)>$/.exec(word)?.[1];
        const field = asked.find((one) => one.name === named);
        return field === undefined ? word : (typedOf(field, payload) ?? assert.fail(word));
      });
      const options = asked
        .filter((one) => !command.includes(`<${one.name}>`))
        .flatMap((one) => {
          const typed = typedOf(one, payload);
          const flag = one.name.split('.').at(-1)?.replace(/_id$/, '').replaceAll('_', '-');
          return typed === undefined ? [] : [`--${flag}`, typed];
        });
      const hasNote = asked.some((one) => one.name === 'note');
      const sent = await proposedBy([...words, ...options, ...(hasNote ? [] : ['--reason', reason])]);
      assert.deepEqual(sent.payload, withoutSeen(payload, asked));
      assert.equal(sent.action, name);
      assert.notEqual(sent.reason, '');
    });
  }

  for (const [name, { asked, example }] of Object.entries(actions))
    it(`${name}: its form has each of its fields, and proposes its example`, async () => {
      const [reason, payload] = example;
      const sent: [string, Payload, string][] = [];
      const its = {
        actions,
        mayAsk: () => true,
        csrf: '',
        typed: null,
        problem: null,
        propose: async (...given: [string, Payload, string]) => sent.push(given),
      } as unknown as Desk;
      const shown = String(proposing(its, name, {})?.markup);
      const typed = new URLSearchParams({ reason });
      for (const one of asked.filter(({ kind }) => kind !== 'only')) {
        const field = one.name === 'account_id' ? 'merchant' : one.name;
        assert.ok(shown.includes(`name="${field}"`), field);
        const text = typedOf(one, payload);
        if (text !== undefined) typed.set(field, text);
      }
      await proposalOf(name)(its, formOf({ typed, file: null }));
      const [[action, proposed, why] = assert.fail()] = sent;
      assert.deepEqual([action, proposed], [name, withoutSeen(payload, asked)]);
      assert.notEqual(why, '');
    });

  it('is taken from each of its roles, and refused to others, whichever it is', async () => {
    for (const [action, one] of Object.entries(actions))
      for (const role of roles) {
        const [reason, payload] = one.example;
        const { status } = await desk.call(`only-${role}`, 'POST', 'proposals', { action, payload, reason });
        assert.equal(status === 403, !askersOf(one).includes(role), `${action} ${role}: ${status}`);
        assert.notEqual(status, 500, action);
      }
  });
});
