import assert from 'node:assert/strict';
import { checkInvariants } from '../../src/reconciliation/invariants.ts';
import { useTestDatabase } from '../support/database.ts';
import { storiesOfDecisions } from './stories-decided.ts';
import { storiesOfReturns } from './stories-returned.ts';
import { storiesOfStatements } from './stories-shown.ts';
import { storiesOfReports } from './stories-told.ts';
import { tellStory } from './storyteller.ts';

/** The engine's money as one table: storyteller.ts says how a row is read. */
describe('what is told of a transaction', () => {
  const test = useTestDatabase({ each: true });
  afterEach(async () => assert.deepEqual(await checkInvariants(test.database), []));

  const stories = { ...storiesOfReports, ...storiesOfReturns, ...storiesOfDecisions, ...storiesOfStatements };
  for (const [told, ends] of Object.entries(stories))
    it(`${told} is ${[ends].flat()[0]}`, () => tellStory(test.database, told, ends));
});
