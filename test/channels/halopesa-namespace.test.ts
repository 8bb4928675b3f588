import assert from 'node:assert/strict';
import { createHalopesaChannel } from '../../src/channels/halopesa/index.ts';
import { halopesaSettings } from '../../src/channels/halopesa/settings.ts';
import type { HttpRequest } from '../../src/channels/kit/http.ts';
import { minor } from '../../src/domain/money.ts';

describe('the namespace of HaloPesa', () => {
  const bodyWith = async (more: object) => {
    const account = { username: 'u', password: 'p', secret: 's', accountId: '1', businessNumber: '2' };
    const settings = halopesaSettings.parse({ url: 'http://10.0.0.1/ServiceAPI', ...account, ...more });
    const sent: HttpRequest[] = [];
    const http = {
      send: async (request: HttpRequest) => {
        sent.push(request);
        return { kind: 'not_sent' as const, detail: 'a test' };
      },
      close: async () => {},
    };
    const party = { kind: 'wallet', msisdn: '255620000001' } as const;
    const order = {
      transactionId: 't',
      reference: 'PY1',
      amount: minor(100_00),
      currency: 'TZS',
      description: '',
      party,
    };
    await createHalopesaChannel({ settings, http }).requestPush?.(order, { timeoutMs: 1_000 });
    return String(sent[0]?.body);
  };

  it('is that of the one integration which shows it, unless the network names another', async () => {
    assert.match(await bodyWith({}), / xmlns:ws="http:\/\/ws\.merchant\.vmoney\.viettel\.com\/">/);
    assert.match(await bodyWith({ namespace: 'urn:halopesa&2' }), / xmlns:ws="urn:halopesa&amp;2">/);
  });
});
