import { announcement } from './local/announce.ts';
import { readLocalSettings } from './local/settings.ts';
import { startStack } from './local/stack.ts';

/** `npm start` runs everything on one machine, with a demo account, until Ctrl-C. */
const stopped = new AbortController();
const stopRequested = new Promise<void>((resolve) => {
  // Ctrl-C reaches us twice (from the terminal and through npm); the second changes nothing.
  const stop = () => {
    stopped.abort(new Error('stopped'));
    resolve();
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
  // A signal to npm alone ends npm but does not reach us. Then our parent changes.
  const parent = process.ppid;
  const look = () => process.ppid !== parent && stop();
  if (process.env.npm_lifecycle_event === 'start') setInterval(look, 250).unref();
});
// A closed terminal or `| head` ends our output, not our work.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
const report = (message: string) => console.log(message);

try {
  const settings = readLocalSettings(process.env, process.argv.slice(2));
  report('Malipo is starting.');
  const stack = await startStack({ settings, report, signal: stopped.signal });
  report(announcement(stack.local, stack));
  await stopRequested;
  report('Stopping.');
  await stack.stop();
  process.exit(0);
} catch (error) {
  console.error((error as Error).message);
  process.exit(stopped.signal.aborted ? 0 : 1);
}
