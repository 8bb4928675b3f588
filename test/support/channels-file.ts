import assert from 'node:assert/strict';
import { type ChannelsPlan, readChannelsFile } from '../../src/channels/kit/connections.ts';
import { protocols } from '../../src/channels/protocols.ts';

/** A channels file for tests: connections of three protocols, and how a text becomes a plan. */
export const TOKEN = 'f3b1a9c07d5e4f6a8b2c1d0e';
export const OTHER = '0a1b2c3d4e5f60718293a4b5';
const debtor = { name: 'MALIPO', account: '0100000000001', bic: 'CORUTZTZ' };
export const gsma = { protocol: 'gsma-mm-1.2', settings: { url: 'https://gsma.example.com/' } };
export const bank = {
  protocol: 'iso20022',
  settings: { url: 'https://bank.example.com', secrets: [TOKEN], debtor },
};
export const bills = (token: unknown) => ({ protocol: 'bill-json', settings: { tokens: [token] } });

export type Extra = {
  production?: boolean;
  variables?: Record<string, string>;
  files?: Record<string, string>;
};

export const readPlan = (file: unknown, { production = false, variables, files }: Extra = {}): ChannelsPlan =>
  readChannelsFile(typeof file === 'string' ? file : JSON.stringify(file), {
    protocols,
    production,
    variable: (name) => variables?.[name],
    file: (path) => files?.[path] ?? assert.fail('ENOENT'),
  });
