import { keyStates } from '../../accounts/keys.ts';
import { requireAccount } from '../../accounts/store.ts';
import { type Call, call } from './call.ts';
import { only, pageQuery, uuidField } from './fields.ts';
import { presentKey, presentPage } from './present.ts';
import { keyList } from './schemas.ts';

export const keyCalls = {
  listKeys: call(
    {
      method: 'GET',
      paths: ['keys'],
      summary: 'API keys of all accounts, or of one, oldest first',
      roles: ['support', 'finance', 'admin'],
      query: {
        ...pageQuery,
        account: uuidField.optional().meta({ description: 'Only those of this merchant' }),
        state: only(keyStates),
      },
      answer: keyList,
    },
    async ({ page, per_page, account, state }, { deps }) => {
      if (account !== undefined) await requireAccount(deps.database, account);
      const asked = { page, perPage: per_page };
      return presentPage(
        await deps.keys.listKeys({ ...asked, accountId: account, state }),
        asked,
        presentKey,
      );
    },
  ),
} satisfies Record<string, Call>;
