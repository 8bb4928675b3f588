import { closeSync, fsync, ftruncateSync, openSync, readFileSync, write } from 'node:fs';
import { promisify } from 'node:util';

/** `party` is the number as 255… or the account number; `amount` is in TZS; `in` is a collection. */
export type Movement = {
  reference: string;
  direction: 'in' | 'out';
  network: string;
  party: string;
  amount: number;
  receipt: string;
  at: string;
  /** as the customer typed it */
  control_number?: string;
};

/**
 * One JSON document per line, append-only. Money and requests count only after their line is on the disk, so
 * a killed simulator forgets nothing that it answered.
 */
export type Book = {
  /** Moves money once per reference: a repeat gets the first movement. Resolves when it is on the disk. */
  move(movement: Omit<Movement, 'at'>): Promise<Movement>;
  /** Returns movements in order, all or those of one reference or control number. */
  movements(reference?: string): Movement[];
  /** Stores a document; a later one with its key replaces it. Resolves when it is on the disk. */
  remember(kind: string, key: string, value: unknown): Promise<void>;
  /** All documents of a kind, by key, as of the book's opening. */
  recall(kind: string): Map<string, unknown>;
  close(): Promise<void>;
};

type Line = { movement: Movement } | { kind: string; key: string; value: unknown };

/** Opens or creates the book; without a file it is in memory. Throws if the file is no book. */
export function openBook(options: { file?: string | undefined }): Book {
  const movements = new Map<string, Movement>();
  const moving = new Map<string, Promise<Movement>>();
  const remembered = new Map<string, Map<string, unknown>>();
  const disk = options.file === undefined ? undefined : createAppender(options.file, replay);

  function replay(line: Line): void {
    if ('movement' in line) {
      movements.set(line.movement.reference, line.movement);
      return;
    }
    const kind = remembered.get(line.kind) ?? new Map<string, unknown>();
    remembered.set(line.kind, kind.set(line.key, line.value));
  }

  async function append(line: Line): Promise<void> {
    await disk?.append(`${JSON.stringify(line)}\n`);
  }

  async function moveOnce(movement: Movement): Promise<Movement> {
    await append({ movement });
    movements.set(movement.reference, movement);
    return movement;
  }

  return {
    async move(wanted) {
      const done = movements.get(wanted.reference) ?? moving.get(wanted.reference);
      if (done) return done;
      const running = moveOnce({ ...wanted, at: new Date().toISOString() });
      moving.set(wanted.reference, running);
      return running.finally(() => moving.delete(wanted.reference));
    },
    movements(reference) {
      const all = [...movements.values()];
      if (reference === undefined) return all;
      return all.filter((one) => one.reference === reference || one.control_number === reference);
    },
    remember: (kind, key, value) => append({ kind, key, value }),
    recall: (kind) => new Map(remembered.get(kind)),
    close: async () => disk?.close(),
  };
}

/** Appends lines and makes them durable, many waiting lines with one fsync. */
function createAppender(file: string, replay: (line: Line) => void) {
  const descriptor = openSync(file, 'a+');
  readWhole(descriptor, file, replay);
  let waiting: { text: string; resolve: () => void; reject: (error: unknown) => void }[] = [];
  let running: Promise<void> | undefined;

  async function flush(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      try {
        await writeAll(descriptor, Buffer.from(batch.map((item) => item.text).join('')));
        for (const item of batch) item.resolve();
      } catch (error) {
        for (const item of batch) item.reject(error);
      }
    }
    running = undefined;
  }

  return {
    append(text: string): Promise<void> {
      return new Promise((resolve, reject) => {
        waiting.push({ text, resolve, reject });
        running ??= flush();
      });
    },
    async close(): Promise<void> {
      await running;
      closeSync(descriptor);
    },
  };
}

const writeChunk = promisify(write);
const syncFile = promisify(fsync);

async function writeAll(descriptor: number, bytes: Buffer): Promise<void> {
  let written = 0;
  while (written < bytes.length) {
    written += (await writeChunk(descriptor, bytes, written, bytes.length - written, null)).bytesWritten;
  }
  await syncFile(descriptor);
}

/** A line that a kill cut off was never acknowledged, so it is removed. */
function readWhole(descriptor: number, file: string, replay: (line: Line) => void): void {
  const bytes = readFileSync(file);
  const end = bytes.lastIndexOf('\n') + 1;
  if (end < bytes.length) ftruncateSync(descriptor, end);
  for (const text of bytes.subarray(0, end).toString('utf8').split('\n')) {
    if (text !== '') replay(JSON.parse(text) as Line);
  }
}
