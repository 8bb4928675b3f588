import { parentPort, workerData } from 'node:worker_threads';
import { storeMessage } from '../../domain/batch.ts';
import { GatewayError } from '../../domain/errors.ts';
import type { Message } from '../../domain/messages.ts';
import { tableOf } from './batch-table.ts';
import type { BigAnswer, BigBody } from './big-bodies.ts';
import { checkJson, decode, valuesFor } from './json.ts';

parentPort?.postMessage(answerTo(workerData));

function answerTo({ bytes, media, rowsMax }: BigBody): BigAnswer {
  try {
    return media === 'table'
      ? { table: tableOf(bytes, rowsMax) }
      : { texts: checkJson(decode(bytes), valuesFor(rowsMax)) };
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    const [problem] = error.detail.errors ?? [];
    const { code, sentence } = error;
    return { refused: { code, message: storeMessage(sentence as Message), field: problem?.field ?? null } };
  }
}
