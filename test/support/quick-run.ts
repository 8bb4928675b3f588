/**
 * `npm run test:quick` runs what needs nothing but Postgres. A test that starts a larger server there belongs to another
 * tier (`scripts/test-tiers.ts`): it fails with this sentence. `what`: the server.
 */
export function refuseInQuickRun(what: string): void {
  if (process.env.TEST_TIER === 'quick')
    throw new Error(`A quick test starts ${what}: its imports no longer say what it needs.`);
}
