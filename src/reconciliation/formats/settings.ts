import type { StatementAccount } from '../../channels/kit/statement-accounts.ts';
import type { Written } from '../../platform/process/uploads.ts';

export type StatementSettings = Pick<
  StatementAccount,
  'proves' | 'format' | 'mapping' | 'currency' | 'theirs'
>;

/** The file's bytes, or where they are stored. */
export type StatementSource = Uint8Array | Written;
