import assert from 'node:assert/strict';
import { kinds } from '../../src/domain/kinds.ts';
import * as workflows from '../../src/workflows/index.ts';
import { pinned } from '../../src/workflows/versioning.ts';

/** By name, with what setWorkflowOptions noted on each. */
const byName: Record<string, object & { workflowDefinitionOptions?: unknown }> = { ...workflows };
const optionsOf = (flow: keyof typeof workflows) => byName[flow]?.workflowDefinitionOptions;

describe('the versions of workflows', () => {
  for (const { flow, isBilled } of Object.values(kinds))
    it(`${flow} ${isBilled ? 'goes on with the current version' : 'stays with the version that began it'}`, () => {
      assert.equal(optionsOf(flow), isBilled ? undefined : pinned);
    });

  it('resends, the sweep and what it shows go on with the current version', () => {
    for (const flow of ['resendCallback', 'reportResult', 'sweep', 'attention'] as const)
      assert.equal(optionsOf(flow), undefined, flow);
  });
});
