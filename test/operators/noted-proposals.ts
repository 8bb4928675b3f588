import { z } from 'zod';
import { GatewayError } from '../../src/domain/errors.ts';
import { declare } from '../../src/operators/actions/actions.ts';
import { type By, createProposals, type Proposal } from '../../src/operators/actions/proposals.ts';
import type { Role } from '../../src/operators/people/roles.ts';
import { audit } from '../../src/platform/db/audit.ts';
import { actions } from '../support/actions.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { by as byOne, hire } from '../support/finance.ts';

const both: Role[] = ['finance', 'admin'];

/** Proposals of an action that only notes; `acted.mood` says how it ends, `acted.executed` what it did in this test. */
export function useNotedProposals() {
  const test = {} as TestDatabase;
  const acted = { mood: 'well' as 'well' | 'refused' | 'broken', executed: [] as string[], number: 0 };
  before(async () => {
    Object.assign(test, await createTestDatabase({ poolMax: 10 }));
    await hire(test.database, { names: ['asha', 'juma', 'neema'], roles: both });
  });
  after(() => test.drop());
  beforeEach(() => Object.assign(acted, { mood: 'well', executed: [] }));

  const noted = declare<{ what: string }>({
    title: 'Note it',
    command: 'test note <what>',
    example: ['a test', { what: 'it' }],
    role: 'finance',
    payload: z.strictObject({ what: z.string() }),
    describe: ({ what }) => `note ${what}`,
    check: async () => {},
    async execute(db, { what }, { actor, proposalId }) {
      acted.executed.push(what);
      await audit(db, { actor, action: 'test.noted', subject: what, detail: { proposal: proposalId } });
      if (acted.mood === 'refused') throw new GatewayError('conflict', 'it is too late');
      if (acted.mood === 'broken') throw new Error('the database is gone');
      return { outcome: `${what} is noted`, wake: what };
    },
  });
  const desk = (fourEyes = true) =>
    createProposals({ database: test.database, actions: { ...actions, 'test.note': noted }, fourEyes });
  const by = (name: string, roles = both): By => byOne(name, roles);
  const propose = (proposals = desk()): Promise<Proposal> => {
    acted.number += 1;
    const asked = { action: 'test.note', payload: { what: `n${acted.number}` }, reason: 'because' };
    return proposals.propose(asked, by('asha'));
  };
  const approve = ({ id, payloadHash }: Proposal, name = 'juma', proposals = desk()) =>
    proposals.approve({ id, payloadHash }, by(name));
  const linesAbout = async (subject: string) =>
    (
      await test.database.query('SELECT action FROM audit_log WHERE subject = $1 ORDER BY id', [subject])
    ).rows.map((row) => row.action);

  return { test, acted, desk, by, propose, approve, linesAbout };
}
