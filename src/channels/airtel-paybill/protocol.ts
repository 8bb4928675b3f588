import { z } from 'zod';
import { nothingSent } from '../kit/about.ts';
import { billsOnly, type Protocol } from '../kit/protocol.ts';
import { createAirtelPaybillDoors } from './bill-door.ts';

const settings = z.strictObject({
  username: z.string().min(1),
  password: z.string().min(1),
  /** MERCHANTMSISDN of messages to us; absent: any */
  shortCode: z.string().min(1).optional(),
  /** element that has Airtel's own receipt */
  receiptIn: z.enum(['REFERENCE1', 'REFERENCE2']).default('REFERENCE1'),
});

/** Customers pay bills from Airtel Money's menu (docs/channels/airtel-paybill.md). */
export const airtelPaybillProtocol: Protocol<z.infer<typeof settings>> = {
  name: 'airtel-paybill',
  settings,
  secrets: ['password'],
  answersAbout: nothingSent,
  open: (account) => ({ capabilities: billsOnly, bills: createAirtelPaybillDoors(account) }),
};
