import { countNamed } from '../../domain/batch-header.ts';
import { GatewayError } from '../../domain/errors.ts';
import { readTable } from '../tables/read-table.ts';
import { type Table, TableRefused } from '../tables/table.ts';

/** Other rows than items: up to 20 above the header, the header and a total. */
const OTHER_ROWS_MAX = 22;
const UNPACKED_MAX = 32 * 1024 * 1024;

/** Throws GatewayError (`validation_failed`). */
export function tableOf(bytes: Uint8Array, itemsMax: number): Table {
  try {
    return readTable(bytes, {
      known: countNamed,
      rowsMax: itemsMax + OTHER_ROWS_MAX,
      unpackedMax: UNPACKED_MAX,
    });
  } catch (error) {
    if (!(error instanceof TableRefused)) throw error;
    const { say: message } = error;
    throw new GatewayError('validation_failed', message, { errors: [{ field: 'items', message }] });
  }
}
