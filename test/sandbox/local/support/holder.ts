/** A supervisor of one process, to be killed: writes the id of what it holds. */
import { startServer } from '../../../../sandbox/local/server-process.ts';

const server = await startServer({
  command: process.execPath,
  args: ['--eval', 'setInterval(() => {}, 1000)'],
  env: process.env,
  stopSignal: 'SIGTERM',
});
console.log(server.pid);
setInterval(() => {}, 1_000);
