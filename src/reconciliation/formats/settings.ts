import type { StatementAccount } from '../../channels/kit/statement-accounts.ts';

/** What the channels file says of a statement account, as far as reading needs it. */
export type StatementSettings = Pick<StatementAccount, 'format' | 'mapping' | 'currency' | 'theirs'>;
