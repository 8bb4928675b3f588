import { z } from 'zod';
import { nothingSent } from '../kit/about.ts';
import { readOk } from '../kit/clean-json.ts';
import { describeResult } from '../kit/http.ts';
import { type BillTokens, billsOnly, billTokens, type PlainDoor, type Protocol } from '../kit/protocol.ts';
import { createGsmaBillDoors } from './bill-door.ts';
import { createGsmaClient, readError } from './client.ts';
import { createGsmaChannel, routedTo } from './index.ts';
import { createGsmaStatements } from './statements.ts';
import { table } from './translate.ts';
import { responseSchema } from './wire.ts';

const address = z.url({ protocol: /^https?$/ });

const settings = z.strictObject({
  url: address.transform((url) => url.replace(/\/+$/, '')),
  username: z.string().default(''),
  password: z.string().default(''),
  authorisation: z.enum(['basic', 'oauth']).default('basic'),
  tokenUrl: address.optional(),
  organisationId: z.string().min(1).default('malipo'),
});

const requestState = {
  nobody: 'the answer to an order is a request state, which has no place for our reference',
};

const notificationDoors: readonly PlainDoor[] = [
  { name: 'channels/gsma', method: 'PUT', path: '/channels/gsma/:transactionId/:token' },
];

/** One connection may serve several networks, each named in a header. */
export const gsmaProtocol: Protocol<z.infer<typeof settings>> = {
  name: 'gsma-mm-1.2',
  settings,
  secrets: ['password'],
  codes: table,
  answersAbout: { push: requestState, payout: requestState, enquiry: 'named', notification: 'named' },
  marks: ['errorCode', 'errorCategory', 'serverCorrelationId', 'transactionReference'],
  open({ organisationId, ...credentials }, { publicUrl, notificationSecrets, http }) {
    const client = createGsmaClient(credentials, http);
    return {
      capabilities: {
        push: true,
        payouts: ['wallet'],
        enquiry: true,
        deduplicates: { collection: true, payout: true },
      },
      channel: (network) =>
        createGsmaChannel({ client, network, organisationId, publicUrl, notificationSecrets }),
      statements: (network) => createGsmaStatements(routedTo(network, client)),
      notificationDoors,
      async check() {
        const get = (path: string) => client.send({ method: 'GET', path }, { timeoutMs: 5_000 });
        const beat = await get('/heartbeat');
        if (beat.kind !== 'answer' || beat.status !== 200)
          throw new Error(`heartbeat: ${describeResult(beat)}`);
        // Many providers answer a heartbeat without authentication.
        const asked = await get('/responses/00000000-0000-4000-8000-000000000000');
        if (
          asked.kind === 'answer' &&
          ((asked.status === 404 && readError(asked.body)) || readOk(responseSchema, asked))
        )
          return 'answers the heartbeat, and accepts our credentials';
        throw new Error(`an enquiry: ${describeResult(asked)}`);
      },
    };
  },
};

export const gsmaBillsProtocol: Protocol<BillTokens> = {
  name: 'gsma-bills',
  settings: billTokens,
  secrets: ['tokens'],
  answersAbout: nothingSent,
  open: ({ tokens }) => ({
    capabilities: billsOnly,
    bills: createGsmaBillDoors(tokens),
  }),
};
