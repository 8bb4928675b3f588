import { type ProviderSecrets, providerVariables } from '../../../sandbox/local/providers.ts';
import { checkSumOf, wireTime, writeRequest } from '../../../src/channels/halopesa/wire.ts';
import { signRequest } from '../../../src/channels/kit/signature.ts';
import { spPasswordOf, timestampOf } from '../../../src/channels/mpesa-broker/wire.ts';
import { signedHeaders } from '../../../src/channels/selcom/wire.ts';
import { writeBrokerPayment } from '../../support/network-messages.ts';

/** Genuine messages of providers, for tests that take them to the doors of `deploy/channels/own.json`. */

export const vodacomCallback =
  '{"input_OriginalConversationID":"C","input_ThirdPartyConversationID":"09c975990ab04cb9ad18d6327c66ef03","input_ResultCode":"INS-0"}';
export const mixxCallback =
  '{"Status":true,"ReferenceID":"SIM0123456789ABCDEF","Amount":"15000","MFSTransactionID":"1"}';
export const halopesaCallback =
  '<Envelope><Body><HaloPesaServiceAPIResponse><return><response_code>0</response_code><ReferenceID>PY1</ReferenceID></return></HaloPesaServiceAPIResponse></Body></Envelope>';
/** The part of Airtel's callback that its hash is made of. */
export const airtelTransaction = '{"id":"PY1","message":"Paid TZS 5,000","status_code":"TS"}';
export const bankReport =
  '<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.002.001.10"><CstmrPmtStsRpt><GrpHdr><MsgId>B</MsgId></GrpHdr><OrgnlGrpInfAndSts><OrgnlMsgId>P</OrgnlMsgId></OrgnlGrpInfAndSts><OrgnlPmtInfAndSts><TxInfAndSts><OrgnlEndToEndId>P</OrgnlEndToEndId><TxSts>ACSC</TxSts></TxInfAndSts></OrgnlPmtInfAndSts></CstmrPmtStsRpt></Document>';
export function provenByBank(body: Buffer, secret: string) {
  const message = { method: 'POST', path: '/channels/iso20022', body };
  return { headers: { 'x-signature': signRequest(message, { secrets: [secret], now: new Date() }) } };
}

/** What Selcom's digest covers of its callback, and the callback. */
const selcomOrder = { order_id: 'PY1', payment_status: 'COMPLETED', amount: '1000' };
export const selcomCallback = JSON.stringify({ ...selcomOrder, result: 'SUCCESS', resultcode: '000' });
export const provenBySelcom = (apiKey: string, apiSecret: string) => ({
  headers: signedHeaders({ apiKey, apiSecret }, selcomOrder, '2026-01-08T12:00:00+03:00'),
});

/** A payment of a bill, as the JSON doors take it. */
export const billPayment = JSON.stringify({
  operator: 'TIGO-PESA',
  transid: 'R1',
  reference: 'OP-1',
  utilityref: '770000000049',
  amount: '25000',
  msisdn: '255654123456',
});

/** A payment of a bill by the broker of M-Pesa, proven with its password. */
export function brokerPayment(password: string): string {
  const proof = { spId: '888000', timestamp: timestampOf(new Date()) };
  return writeBrokerPayment({
    ...proof,
    spPassword: spPasswordOf({ ...proof, password }),
    amount: '25000',
    commandId: 'Pay Bill',
    initiator: '255754123456',
    originatorConversationId: 'O',
    recipient: '888000',
    mpesaReceipt: 'R1',
    transactionDate: null,
    accountReference: '770000000049',
    transactionId: 'T',
    conversationId: 'C',
  });
}

/** A payment of a bill by HaloPesa, proven with its password and the secret of its check sum. */
export function halopesaPayment(password: string, secret: string): string {
  const request = {
    requestId: 'R1',
    username: 'halopesa',
    password,
    requestTime: wireTime(Date.now()),
    amount: '25000',
    sender: '255624123456',
    accountId: '1',
    reference: '770000000049',
    businessNumber: '1',
    functionCode: 'PAY',
  };
  return writeRequest({ ...request, checkSum: checkSumOf(request, secret) });
}

export const BANK_SECRET = 'a secret of the bank and of us';

/** The variables that `deploy/channels/own.json` reads, with addresses that nothing listens on. */
export function doorVariables(
  secrets: ProviderSecrets,
  billTokenOf: (network: string) => string,
): Record<string, string> {
  const networks = ['M_PESA', 'AIRTEL_MONEY', 'TIGO_PESA', 'HALOPESA', 'T_PESA', 'AZAMPESA'];
  return {
    ...providerVariables(secrets, 'http://127.0.0.1:9'),
    GSMA_URL: 'http://127.0.0.1:9',
    GSMA_USERNAME: 'malipo',
    GSMA_PASSWORD: 'password',
    BANK_URL: 'http://127.0.0.1:9',
    BANK_SECRET,
    ...Object.fromEntries(networks.map((network) => [`BILL_TOKEN_${network}`, billTokenOf(network)])),
  };
}
