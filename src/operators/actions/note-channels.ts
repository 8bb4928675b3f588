import { setTimeout as pause } from 'node:timers/promises';
import { isDatabaseDown, isSchemaBehind } from '../../platform/db/errors.ts';
import type { Database } from '../../platform/db/pool.ts';
import { noteReceiptSpaces } from '../../transactions/rows/receipt-spaces.ts';
import { noteConnections } from './channel-changes.ts';

const AGAIN_MS = 5_000;

type Asked = {
  channels: {
    receiptSpaces: ReadonlyMap<string, string>;
    fingerprints: Record<string, string>;
    connections: ReadonlyMap<string, { insecureHttp: string | undefined }>;
  };
  log: { warn(facts: object, message: string): void };
  isStopping: () => boolean;
};

/**
 * Records the receipt spaces, then the changed connections. Throws if the file contradicts the record.
 * If the database is down or not migrated, it tries again in the background until `isStopping`. Nothing is
 * accepted during that time.
 */
export async function noteChannels(database: Database, asked: Asked): Promise<void> {
  await noteSpaces(database, asked);
  void noteChanges(database, asked);
}

async function noteChanges(database: Database, asked: Asked): Promise<void> {
  const { channels, log, isStopping } = asked;
  while (!isStopping()) {
    await noteSpaces(database, asked);
    const plain = [...channels.connections].flatMap(([id, { insecureHttp: why }]) =>
      why ? [[id, why]] : [],
    );
    const insecureHttp: Record<string, string> = Object.fromEntries(plain);
    const noted = { connections: channels.fingerprints, insecureHttp, actor: 'api' };
    const changed = await noteConnections(database, noted).catch(() => null);
    if (changed && changed.length > 0) log.warn({ changed }, 'the channel configuration has changed');
    if (changed) return;
    await pause(AGAIN_MS, undefined, { ref: false });
  }
}

async function noteSpaces(database: Database, { channels }: Asked): Promise<void> {
  await noteReceiptSpaces(database, channels.receiptSpaces).catch((error) => {
    if (!isDatabaseDown(error) && !isSchemaBehind(error)) throw error;
  });
}
