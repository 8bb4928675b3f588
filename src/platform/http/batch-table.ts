import { countNamed } from '../../domain/batch-header.ts';
import { GatewayError } from '../../domain/errors.ts';
import { say } from '../../domain/messages.ts';
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
    const { say: told } = error;
    // People count recipients, not the other rows.
    const message =
      told.id === 'file_too_many_rows' ? say(told.id, { maximum: itemsMax.toLocaleString('en') }) : told;
    throw new GatewayError('validation_failed', message, { errors: [{ field: 'items', message }] });
  }
}
