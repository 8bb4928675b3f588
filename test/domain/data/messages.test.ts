import messages from '../../../data/messages.sw.json' with { type: 'json' };
import { schema } from '../../../src/domain/data/messages.ts';
import { describeBroken } from './broken.ts';

describeBroken('data/messages.sw.json', { file: messages, schema }, [
  [
    'messages.events_queued',
    'its parameters are idadi, not count',
    'Matukio {idadi} yamewekwa kwenye foleni',
  ],
  ['messages.waiting_for_hand_over', 'its parameters are none, not channel', 'Malipo yanasubiri kukabidhiwa'],
  ['messages.network', 'Too small: expected string to have >=1 characters', ''],
  ['messages.is_required', 'Invalid input: expected string, received undefined'],
  ['messages.failure_expired', 'Invalid input: expected string, received undefined'],
  ['messages.moon', { says: 'messages: Unrecognized key: "moon"' }, 'Mwezi'],
  ['messages', 'Invalid input: expected object, received undefined'],
]);
