import { findTemporalCli } from '../sandbox/local/tools/temporal-cli.ts';
import { installTestServer } from './test-server.ts';

/** Before `npm test`: the two Temporal servers that the tests run against are there, downloaded or built if need be. */
const progress = (message: string) => console.log(message);
try {
  await findTemporalCli({ progress });
  await installTestServer({ progress });
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
