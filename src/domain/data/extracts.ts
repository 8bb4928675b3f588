import { z } from 'zod';
import json from '../../../data/extracts.json' with { type: 'json' };
import { MINOR_PER_UNIT, type Minor, minor } from '../money.ts';
import { prose, readData } from './read-data.ts';

const schema = z.strictObject({ rule: prose, report_from: z.int().min(1).max(1_000_000_000) });

/** Smallest single movement to report. Throws DataError. */
function parseExtracts(content: unknown): Minor {
  return minor(readData('data/extracts.json', schema, content).report_from * MINOR_PER_UNIT);
}

export const reportFrom = parseExtracts(json);
