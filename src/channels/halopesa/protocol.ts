import { z } from 'zod';
import { neverSent, nothingSent } from '../kit/about.ts';
import { billsOnly, type Protocol } from '../kit/protocol.ts';
import { oneOrTwo } from '../kit/secret.ts';
import { halopesaDoors } from './answer.ts';
import { createHalopesaBillDoors } from './bill-door.ts';
import { capabilities, createHalopesaChannel } from './index.ts';
import { type HalopesaSettings, halopesaSettings } from './settings.ts';
import { table } from './translate.ts';

/** HaloPesa's SOAP service has only pushes (docs/channels/halopesa.md). */
export const halopesaProtocol: Protocol<HalopesaSettings> = {
  name: 'halopesa',
  settings: halopesaSettings,
  secrets: ['username', 'password', 'secret', 'callback.token'],
  codes: table,
  answersAbout: { push: 'named', payout: neverSent, enquiry: neverSent, notification: 'looked up' },
  marks: ['return', 'Fault'],
  open(settings, { http }) {
    const channel = createHalopesaChannel({ settings, http });
    return {
      capabilities,
      channel: () => channel,
      notificationDoors: halopesaDoors(settings.answers),
      addresses: [settings.url],
    };
  },
};

const billSettings = z.strictObject({
  username: z.string().min(1),
  password: z.string().min(1),
  /** `business_no` of messages to us; absent: any */
  shortCode: z.string().min(1).optional(),
  /** key of the checksum */
  secret: oneOrTwo(z.string().min(1)),
  answers: halopesaSettings.shape.answers,
});

/** Customers pay bills from HaloPesa's menu (docs/channels/halopesa.md). */
export const halopesaBillsProtocol: Protocol<z.infer<typeof billSettings>> = {
  name: 'halopesa-bills',
  settings: billSettings,
  secrets: ['password', 'secret'],
  answersAbout: nothingSent,
  open: (account) => ({ capabilities: billsOnly, bills: createHalopesaBillDoors(account) }),
};
