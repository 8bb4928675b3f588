import { type AccountFees, feesOf } from '../accounts/fees.ts';
import { requireAccount } from '../accounts/store.ts';
import type { JsonOf } from '../contract/json-of.ts';
import { type FeeService, feeServices, type OwnRows, tiersOf } from '../domain/fees.ts';
import { type Call, call } from './call.ts';
import { feesAnswer } from './schemas.ts';

/** What merchants pay. Fees of an account's own are proposed (`fees.set`). */
export const feeCalls = {
  getFees: call(
    {
      method: 'GET',
      paths: ['accounts/{id}/fees'],
      id: 'of the account',
      summary:
        'What a merchant pays, and will pay next, and which of these fees are its own; whole shillings',
      roles: ['finance', 'admin'],
      answer: feesAnswer,
    },
    async (_input, { deps, id }) => {
      const { id: accountId } = await requireAccount(deps.database, id);
      return present(await feesOf(deps.database, accountId));
    },
  ),
} satisfies Record<string, Call>;

function present({ inForce, next, own, announced }: AccountFees): JsonOf<typeof feesAnswer> {
  const shown = (schedule: typeof inForce) => ({
    fees: tiersOf(schedule),
    version: schedule.version,
    effective_from: schedule.effectiveFrom,
  });
  return {
    ...shown(inForce),
    own: feeServices.filter((service) => own[service]),
    next: next ? shown(next) : null,
    announced: announced && { effective_from: announced.effectiveFrom, fees: tiersOfOwn(announced.rows) },
  };
}

/** Absent in JSON where it has the usual fees. */
function tiersOfOwn(rows: OwnRows) {
  return Object.fromEntries(feeServices.map((service) => [service, rows[service]])) as {
    [S in FeeService]: OwnRows[S] | undefined;
  };
}
