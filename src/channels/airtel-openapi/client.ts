import type { KeyObject } from 'node:crypto';
import type { CallOptions } from '../../domain/channel.ts';
import { type Minor, minorSaid } from '../../domain/money.ts';
import { readCleanJson, readOk } from '../kit/clean-json.ts';
import { FETCH_TIMEOUT_MS, type Got, notReady, orLate, sendWithToken } from '../kit/fresh.ts';
import { describeResult, type HttpClient, type HttpResult } from '../kit/http.ts';
import { notSent, turnedAway } from '../kit/unclear.ts';
import { createAirtelToken, createPublicKeys } from './credentials.ts';
import { sign } from './crypto.ts';
import type { AirtelOpenapiSettings } from './settings.ts';
import {
  AIRTEL_PATHS,
  balanceSchema,
  envelopeSchema,
  KEY_HEADER,
  SIGNATURE_HEADER,
  transactionListSchema,
  type WireTransactionList,
} from './wire.ts';

type AirtelCall = {
  method: 'GET' | 'POST';
  path: string;
  /** text that is sent unchanged; may need the network's public key */
  body?: (publicKey: KeyObject | null) => string;
  signed?: boolean;
  encrypts?: boolean;
};

export type AirtelWallet = 'COLL' | 'DISB' | 'CASHIN' | 'CASHOUT';
export type AirtelBalance = { amount: Minor; currency: string };
export type AirtelListed = WireTransactionList['data']['transactions'][number];

export type AirtelClient = {
  /** Renews a refused token once. Never rejects. */
  send(call: AirtelCall, options: CallOptions): Promise<HttpResult>;
  /** Makes the next call fetch the public key again: the network could not read the signature or PIN. */
  forgetPublicKey(): void;
  /** Rejects if the network did not answer. */
  balance(wallet: AirtelWallet, options: CallOptions): Promise<AirtelBalance>;
  /** Returns null if the network did not answer. Times are seconds since 1970. */
  listTransactions(
    page: { from: number; to: number; limit: number; offset: number },
    options: CallOptions,
  ): Promise<AirtelListed[] | null>;
};

/** `now`: milliseconds of a clock that only goes forward. */
export function createAirtelClient(
  settings: AirtelOpenapiSettings,
  http: HttpClient,
  now: () => number = () => performance.now(),
): AirtelClient {
  const token = createAirtelToken(settings, http, now);
  const keys = createPublicKeys(
    settings,
    (path) => send({ method: 'GET', path }, { timeoutMs: FETCH_TIMEOUT_MS }),
    now,
  );
  let usedKey: KeyObject | null = null;

  async function send(call: AirtelCall, options: CallOptions): Promise<HttpResult> {
    const deadline = performance.now() + options.timeoutMs;
    let key: KeyObject | null = null;
    if (call.signed || call.encrypts) {
      const got = await orLate(keys.get(), options, notReady);
      if ('missing' in got) return got.refused ? turnedAway(got.missing) : notSent(got.missing);
      key = got.value;
      usedKey = key;
    }
    const prepared = prepare(call, key);
    if ('missing' in prepared) return notSent(prepared.missing);
    const { headers, ...body } = prepared.value;
    const request = { ...body, method: call.method, url: `${settings.url}${call.path}` };
    const left = { ...options, timeoutMs: deadline - performance.now() };
    return sendWithToken(token, left, {
      send: (value, within) =>
        http.send({ ...request, headers: { ...headers, authorization: `Bearer ${value}` }, ...within }),
      isRefused: isTokenRefusal,
    });
  }

  /** Prepares a call once, so that a repeat with a new token sends the same bytes and headers. */
  function prepare(
    call: AirtelCall,
    key: KeyObject | null,
  ): Got<{ headers: Record<string, string>; body?: string }> {
    const headers: Record<string, string> = {
      accept: '*/*',
      'x-country': settings.country,
      'x-currency': settings.currency,
    };
    if (!call.body) return { value: { headers } };
    try {
      const body = call.body(key);
      headers['content-type'] = 'application/json';
      if (call.signed && key) {
        const signature = sign(key, body);
        headers[SIGNATURE_HEADER] = signature.signature;
        headers[KEY_HEADER] = signature.key;
      }
      return { value: { headers, body } };
    } catch {
      return { missing: 'the public key cannot encrypt this request' };
    }
  }

  async function balance(wallet: AirtelWallet, options: CallOptions): Promise<AirtelBalance> {
    const path =
      settings.balanceVersion === 'v1' ? AIRTEL_PATHS.balanceV1 : `${AIRTEL_PATHS.balanceV2}?type=${wallet}`;
    const answer = await send({ method: 'GET', path }, options);
    const body = readOk(balanceSchema, answer);
    const amount = minorSaid(body?.data.balance ?? '');
    if (body && amount !== null) return { amount, currency: body.data.currency };
    throw new Error(`does not tell the balance: ${describeResult(answer)}`);
  }

  return {
    send,
    forgetPublicKey: () => {
      if (usedKey) keys.drop(usedKey);
    },
    balance,
    async listTransactions({ from, to, limit, offset }, options) {
      const query = `from=${from}&to=${to}&limit=${limit}&offset=${offset}`;
      const answer = await send({ method: 'GET', path: `${AIRTEL_PATHS.transactions}?${query}` }, options);
      return readOk(transactionListSchema, answer)?.data.transactions ?? null;
    },
  };
}

/** Returns true for a 401 without an application code, which refuses our token. */
function isTokenRefusal(answer: HttpResult): boolean {
  if (answer.kind !== 'answer' || answer.status !== 401) return false;
  const envelope = readCleanJson(envelopeSchema, answer.body);
  return (
    envelope !== null &&
    !envelope.status?.response_code &&
    !envelope.status?.result_code &&
    !envelope.status_code
  );
}
