import type { StatementAccount } from '../../channels/kit/statement-accounts.ts';
import type { Written } from '../../platform/process/uploads.ts';

export type StatementSettings = Pick<
  StatementAccount,
  'proves' | 'format' | 'mapping' | 'currency' | 'theirs'
>;

/** These are its bytes, or where they were written down. */
export type StatementSource = Uint8Array | Written;
