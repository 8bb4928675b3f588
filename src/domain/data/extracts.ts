import { z } from 'zod';
import json from '../../../data/extracts.json' with { type: 'json' };
import { MINOR_PER_UNIT, minor } from '../money.ts';
import { prose, readData } from './read-data.ts';

const schema = z.strictObject({ rule: prose, report_from: z.int().min(1).max(1_000_000_000) });

/** smallest single movement to report */
export const reportFrom = minor(readData('data/extracts.json', schema, json).report_from * MINOR_PER_UNIT);
