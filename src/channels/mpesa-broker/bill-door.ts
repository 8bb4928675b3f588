import { timeSaid } from '../../domain/day.ts';
import { GatewayError, httpStatusOf } from '../../domain/errors.ts';
import type { Network } from '../../domain/network.ts';
import { attemptOf, TEXT_CHARACTERS_MAX } from '../kit/bill-attempt.ts';
import { proofOfShortCode, textOf } from '../kit/bill-proof.ts';
import type {
  BillAttempt,
  BillDoors,
  BillService,
  DoorAnswer,
  DoorCall,
  Proof as DoorProof,
} from '../kit/door.ts';
import { orLate } from '../kit/fresh.ts';
import { createHttpClient, type HttpClient } from '../kit/http.ts';
import type { ProtocolLog } from '../kit/protocol.ts';
import { isNear } from '../kit/said.ts';
import { allSecrets, isSameSecret } from '../kit/secret.ts';
import { XML_BYTES_MAX } from '../kit/xml.ts';
import { type BrokerRequest, createResults, markOfPassword } from './results.ts';
import type { MpesaBrokerSettings } from './settings.ts';
import {
  type BrokerPayment,
  CONTENT_TYPE,
  MPESA_BROKER_PATH,
  type Proof,
  readPayment,
  scanProof,
  scanRecipient,
  spPasswordOf,
  writeResponse,
} from './wire.ts';

export type MpesaBrokerDeps = {
  settings: MpesaBrokerSettings;
  log: ProtocolLog;
  http?: HttpClient;
};

/**
 * Commits the decision and the owed result, then acknowledges; a workflow posts the result. If the commit
 * fails, the answer is not 200. If it is slower than the broker's limit, we acknowledge before it.
 */
export function createMpesaBrokerDoors(deps: MpesaBrokerDeps): BillDoors {
  const { settings, log, http = createHttpClient() } = deps;

  async function receive(call: DoorCall, bills: BillService): Promise<DoorAnswer> {
    const body = await call.body(XML_BYTES_MAX);
    const proof = scanProof(body);
    const network = await bills.networkOf();
    const password = passwordBehind(proof, settings) ?? '';
    const payment = readPayment(body);
    if (!payment || payment.spPassword !== proof?.spPassword || payment.timestamp !== proof.timestamp)
      throw new GatewayError('invalid_json', 'This is no request of an M-Pesa broker');
    const { originatorConversationId, conversationId, transactionId } = payment;
    const ids = { originatorConversationId, conversationId, transactionId };
    const request: BrokerRequest = { ...ids, password: markOfPassword(password) };
    const decision = bills.receive({ ...reported(payment, network), request });
    // A failure after the limit is logged where the decision is made, and the broker asks again.
    decision.catch(() => undefined);
    // A failure within the limit rejects here: without acknowledgement the broker asks again.
    await orLate<unknown>(decision, { timeoutMs: settings.acknowledgeMsMax }, null);
    return {
      status: 200,
      contentType: CONTENT_TYPE,
      body: acknowledgementOf(payment, settings),
    };
  }

  return {
    doors: [
      {
        name: 'channels/mpesa-broker',
        method: 'POST',
        path: MPESA_BROKER_PATH,
        answer: (call, bills) =>
          receive(call, bills).catch((error) => {
            const fault = call.faultOf(error);
            const { headers = {} } = fault.detail;
            return {
              status: httpStatusOf[fault.code],
              headers,
              contentType: 'text/plain',
              body: fault.message,
            };
          }),
      },
    ],
    postResult: createResults(settings, { http, log, now: () => new Date() }),
    prove: async (call) => {
      const body = await call.body(XML_BYTES_MAX);
      const proof = prove(scanProof(body), settings, call.now());
      return proofOfShortCode(proof, scanRecipient(body), settings.shortCode);
    },
    shortCode: settings.shortCode,
    secrets: allSecrets(settings.password).map((password) => textOf({ username: settings.spId, password })),
  };
}

function passwordBehind(proof: Proof | null, settings: MpesaBrokerSettings): string | undefined {
  const { spId = '', spPassword = '', timestamp = '' } = proof ?? {};
  const isOf = (password: string) =>
    isSameSecret(spPassword, spPasswordOf({ spId, password, timestamp }, settings.passwordForm));
  return spId === settings.spId ? allSecrets(settings.password).filter(isOf)[0] : undefined;
}

/** The broker hashes our password with a time stamp. An old hash may be a replayed copy. */
function prove(proof: Proof | null, settings: MpesaBrokerSettings, now: Date): DoorProof {
  const password = passwordBehind(proof, settings);
  if (password === undefined)
    return { why: 'The user name or password is not accepted', isWrong: proof !== null };
  const { timestampToleranceMs } = settings;
  const time = timeSaid(proof?.timestamp ?? '');
  if (timestampToleranceMs === null || isNear(time, now.getTime(), timestampToleranceMs)) return 'proven';
  return { why: 'The timestamp is too far from our clock', isWrong: false };
}

function reported(payment: BrokerPayment, network: Network): BillAttempt {
  const { mpesaReceipt: receipt, accountReference: number, amount, commandId, initiator } = payment;
  if (receipt === null || receipt.length > TEXT_CHARACTERS_MAX)
    throw new GatewayError('invalid_json', 'mpesaReceipt is required, of at most 256 characters');
  // An unknown command may move money the other way ("Reverse Pay Bill").
  if (!/^(?:customer\s*)?pay\s*bill$/i.test(commandId ?? ''))
    throw new GatewayError('invalid_json', 'commandID must be Pay Bill');
  return attemptOf(network, { receipt, number, amount, msisdn: initiator });
}

function acknowledgementOf(payment: BrokerPayment, settings: MpesaBrokerSettings): string {
  const { conversationId, originatorConversationId, transactionId } = payment;
  return writeResponse(
    {
      conversationId,
      originatorConversationId,
      transactionId,
      responseCode: '0',
      responseDesc: 'Received',
      serviceStatus: 'Success',
    },
    settings.acknowledgementTransactionId,
  );
}
