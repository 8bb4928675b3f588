import type { StatementAccount } from '../../channels/kit/statement-accounts.ts';
import type { Written } from '../../platform/process/uploads.ts';

/** What the channels file says of a statement account, as far as reading needs it. */
export type StatementSettings = Pick<StatementAccount, 'id' | 'format' | 'mapping' | 'currency' | 'theirs'>;

/** Its bytes, or where they were written down. */
export type StatementSource = Uint8Array | Written;
