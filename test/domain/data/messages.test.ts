import messages from '../../../data/messages.sw.json' with { type: 'json' };
import { parseMessages } from '../../../src/domain/data/messages.ts';
import { describeBroken } from './broken.ts';

describeBroken('data/messages.sw.json', { file: messages, parse: parseMessages }, [
  {
    at: 'sentences["{count} events have been queued"]',
    value: 'Matukio {idadi} yamewekwa kwenye foleni',
    because: 'its parameters are idadi, not count',
  },
  {
    at: 'sentences["Waiting to be handed to the {@channel}"]',
    value: 'Malipo yanasubiri kukabidhiwa',
    because: 'its parameters are none, not channel',
  },
  { at: 'terms.network', value: '', because: 'Too small: expected string to have >=1 characters' },
  { at: 'terms', because: 'Invalid input: expected record, received undefined' },
]);
