import { createUrlPolicy } from '../../../src/callbacks/guard-url.ts';
import { createCallbackSender } from '../../../src/callbacks/send.ts';

/** Sends one callback to the URL in the arguments and prints the answer: for tests of what the environment may change. */
const sender = createCallbackSender({
  policy: createUrlPolicy({ development: true, ports: [] }),
  userAgent: 'Malipo/test',
});
const answer = await sender.send({ url: process.argv[2] ?? '', body: '{}', headers: {} });
console.log(JSON.stringify(answer));
process.exit(0);
