/**
 * What a person may do. viewer: counts, no personal data. support: find, show, ask channels again, resend callbacks.
 * finance: proposals about money, the books, resend one callback. admin: operators, keys, accounts, limits. One person
 * may have several.
 */
export const roles = ['viewer', 'support', 'finance', 'admin'] as const;
export type Role = (typeof roles)[number];

/** They may read names and numbers of customers. */
export const READS_PEOPLE: readonly Role[] = ['support', 'finance'];

/** The caller: an operator by the token that was shown. */
export type Caller = { name: string; roles: readonly Role[]; tokenId: string };

/** Whether one of the needed roles is among those of the caller. */
export function mayAct(caller: { roles: readonly Role[] }, needed: readonly Role[]): boolean {
  return needed.some((role) => caller.roles.includes(role));
}
