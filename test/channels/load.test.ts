import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { loadChannels } from '../../src/channels/load.ts';
import { OTHER, TOKEN } from '../support/channels-file.ts';
import { useFolder } from '../support/folder.ts';

describe('a channels file that is wrong', () => {
  const inFolder = useFolder();

  function load(text: string): unknown {
    const file = inFolder('of-july.json');
    writeFileSync(file, text);
    const keys = [{ id: 'a', key: Buffer.alloc(32) }] as const;
    const config = {
      CHANNELS_FILE: file,
      MALIPO_ENV: 'development',
      PUBLIC_URL: 'https://api.example.com',
    } as const;
    return loadChannels({ ...config, NOTIFICATION_SECRET: [...keys] }, {}, { info() {}, warn() {} } as never);
  }

  const bills = { protocol: 'bill-json', settings: { tokens: [TOKEN] } };
  const wrongs: [string, string, RegExp][] = [
    ['is no JSON', '{', /JSON/],
    ['has another form', '{"connections":{}}', /networks/],
    ['names a protocol that is none', '{"connections":{"a":{"protocol":"x"}},"networks":{}}', /protocol/],
    [
      'is wrong only as a whole',
      JSON.stringify({
        connections: { a: bills, b: { ...bills, settings: { tokens: [TOKEN, OTHER] } } },
        networks: { 'm-pesa': { bills: ['a'] }, 'airtel-money': { bills: ['b'] } },
      }),
      /same proof/,
    ],
  ];
  for (const [what, text, reason] of wrongs)
    it(`${what}: the error says which file it is, and why`, () =>
      assert.throws(
        () => load(text),
        ({ message }: Error) =>
          message.startsWith(`The channels file ${inFolder()}/of-july.json is wrong:\n  `) &&
          reason.test(message),
      ));
});
