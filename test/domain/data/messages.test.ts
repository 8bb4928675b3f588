import messages from '../../../data/messages.sw.json' with { type: 'json' };
import { schema } from '../../../src/domain/data/messages.ts';
import { describeBroken } from './broken.ts';

describeBroken('data/messages.sw.json', { file: messages, schema }, [
  {
    at: 'messages.events_queued',
    value: 'Matukio {idadi} yamewekwa kwenye foleni',
    because: 'its parameters are idadi, not count',
  },
  {
    at: 'messages.waiting_for_hand_over',
    value: 'Malipo yanasubiri kukabidhiwa',
    because: 'its parameters are none, not channel',
  },
  { at: 'messages.network', value: '', because: 'Too small: expected string to have >=1 characters' },
  { at: 'messages.is_required', because: 'Invalid input: expected string, received undefined' },
  { at: 'messages.failure_expired', because: 'Invalid input: expected string, received undefined' },
  { at: 'messages.moon', value: 'Mwezi', says: 'messages: Unrecognized key: "moon"' },
  { at: 'messages', because: 'Invalid input: expected object, received undefined' },
]);
