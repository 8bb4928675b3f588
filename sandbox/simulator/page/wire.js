import { byId, call, element, showWhenChanged } from './dom.js';
import { language, timeOf, word } from './language.js';
import { numbers } from './phone.js';

const SHOWN_MAX = 40;

export async function showWire() {
  const answers = await Promise.all(
    numbers().map((number) => call(`/phone/wire?number=${encodeURIComponent(number)}`)),
  );
  const byNumber = new Map(
    answers.flatMap(({ json }) => (json.exchanges ?? []).map((exchange) => [exchange.id, exchange])),
  );
  const exchanges = [...byNumber.values()].sort((one, other) => other.id - one.id).slice(0, SHOWN_MAX);
  const place = byId('exchanges');
  const open = new Set([...place.querySelectorAll('details[open]')].map(({ dataset }) => dataset.exchange));
  showWhenChanged(place, [exchanges, language()], () =>
    exchanges.length === 0
      ? [element('li', { class: 'hint' }, word('nothing_said'))]
      : exchanges.map((exchange) => lineOf(exchange, open)),
  );
}

function lineOf({ id, at, from, line, request, status, answer }, open) {
  const colour = status === null ? 'waiting' : status < 400 ? 'good' : 'bad';
  return element(
    'li',
    {},
    element(
      'details',
      { 'data-exchange': String(id), 'data-from': from, ...(open.has(String(id)) ? { open: '' } : {}) },
      element(
        'summary',
        {},
        element('span', { class: 'hint' }, `${timeOf(at)} ${word(`from_${from}`)} `),
        element('code', {}, line),
        ' ',
        element('span', { class: `status ${colour}` }, status === null ? word('no_answer') : String(status)),
      ),
      element('pre', {}, request),
      answer === null ? null : element('pre', { class: 'answer' }, answer),
    ),
  );
}
