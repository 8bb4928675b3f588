/**
 * viewer reads counts, no personal data. support finds and shows transactions, asks channels again and
 * resends callbacks. finance proposes changes of money and the books, and resends one callback. admin manages
 * operators, keys, accounts and limits. One person may have several roles.
 */
export const roles = ['viewer', 'support', 'finance', 'admin'] as const;
export type Role = (typeof roles)[number];

export const READS_PEOPLE: readonly Role[] = ['support', 'finance'];

export type Caller = { name: string; roles: readonly Role[]; tokenId: string };

export function mayAct(caller: { roles: readonly Role[] }, needed: readonly Role[]): boolean {
  return needed.some((role) => caller.roles.includes(role));
}
