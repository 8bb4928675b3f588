import { type ScriptedAnswer, useNetwork } from '../scripted.ts';
import { vodacomChannel } from './rig.ts';

/** An id as M-Pesa knows our transaction. */
export const CONVERSATION = '0198c0de000070008000000000000001';
export const SESSION = '/openapi/ipg/v2/vodacomTZN/getSession/';

export const said = (code: string, status = 400, more = {}): ScriptedAnswer => ({
  status,
  body: { output_ResponseCode: code, output_ThirdPartyConversationID: CONVERSATION, ...more },
});
export const paid = said('INS-0', 201, { output_TransactionID: 'R1' });
export const expired: ScriptedAnswer = { status: 401, body: { output_error: 'Session expired' } };

let sessions = 0;
/** Sessions are M-Pesa's own affair unless a test takes them over. */
export const useVodacom = () =>
  useNetwork({
    paths: { push: '/', payout: '/', 'push?': '/', 'payout?': '/' },
    besides: {
      [SESSION]: () => {
        sessions += 1;
        return { body: { output_ResponseCode: 'INS-0', output_SessionID: `session-${sessions}` } };
      },
    },
    channelOf: (url, settings) => vodacomChannel(url, { mode: 'synchronous', ...settings }),
  });
