import { randomUUID } from 'node:crypto';
import { open, unlink, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GatewayError } from '../../domain/errors.ts';
import { bodyNotWhole, bodyTooLarge } from './read-body.ts';

/** The bytes are in an open file without a name, so nothing remains after the process ends. */
export type Written = { fd: number; from: number; byteLength: number };

/** The bytes stay until `end` is called. */
export type Upload = { written: Written; end(): Promise<void> };

/** The time to work on a whole file before its answer; the server's own limit of silence is shorter. */
export const FILE_WORK_MS_MAX = 600_000;

export type Uploads = ReturnType<typeof createUploads>;

/** Writes large bodies to a file while they arrive, one at a time, so a slow sender uses no memory. */
export function createUploads() {
  let isTaken = false;
  return {
    /**
     * Throws `unavailable` during another upload, `payload_too_large` beyond `bytesMax`, `invalid_json` if
     * cut.
     */
    async receive(request: IncomingMessage, bytesMax: number): Promise<Upload> {
      if (Number(request.headers['content-length'] ?? 0) > bytesMax) throw bodyTooLarge(bytesMax);
      if (isTaken)
        throw new GatewayError('unavailable', 'Another file is being taken: send this one again in a minute');
      isTaken = true;
      const file = await openUnnamed().catch((error) => {
        isTaken = false;
        throw error;
      });
      const end = async () => {
        isTaken = false;
        await file.close();
      };
      try {
        await writeFile(file, bounded(request, bytesMax));
        const { size } = await file.stat();
        request.socket.setTimeout(FILE_WORK_MS_MAX);
        return { written: { fd: file.fd, from: 0, byteLength: size }, end };
      } catch (error) {
        await end();
        throw error;
      }
    },
  };
}

async function openUnnamed() {
  const path = join(tmpdir(), `malipo-${randomUUID()}`);
  const file = await open(path, 'wx+', 0o600);
  await unlink(path);
  return file;
}

async function* bounded(request: IncomingMessage, bytesMax: number): AsyncGenerator<Buffer> {
  let size = 0;
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      size += chunk.length;
      if (size > bytesMax) throw bodyTooLarge(bytesMax);
      yield chunk;
    }
  } catch (error) {
    throw error instanceof GatewayError ? error : bodyNotWhole();
  } finally {
    request.resume();
  }
}
