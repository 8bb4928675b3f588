import { z } from 'zod';
import json from '../../../data/phone-messages.json' with { type: 'json' };
import { prose, readData } from './read-data.ts';

const texts = z.strictObject({ paid: prose, paid_bill: prose, received: prose });
const language = z.strictObject({ source: prose, en: texts, sw: texts });
const schema = z.strictObject({ rule: prose, networks: z.object({ other: language }).catchall(language) });

/** The simulator's phone shows these messages of networks; `other` serves networks without an entry. */
export const phoneMessages: Record<string, z.output<typeof language>> = readData(
  'data/phone-messages.json',
  schema,
  json,
).networks;
