/**
 * viewer reads counts, no personal data. support finds transactions, asks channels again, resends callbacks.
 * finance proposes about money and the books, resends one callback. admin manages operators, keys, accounts
 * and limits. One person may have several roles.
 */
export const roles = ['viewer', 'support', 'finance', 'admin'] as const;
export type Role = (typeof roles)[number];

export const READS_PEOPLE: readonly Role[] = ['support', 'finance'];

export type Caller = { name: string; roles: readonly Role[]; tokenId: string };

export function mayAct(caller: { roles: readonly Role[] }, needed: readonly Role[]): boolean {
  return needed.some((role) => caller.roles.includes(role));
}
