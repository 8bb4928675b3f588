// Sends the requests of the reference from this page, with a test key that stays in the page and is stored nowhere.

const SHOWN_MAX = 20_000;
const ORDER_NUMBERS = ['payment_number', 'batch_number'];

const keyField = document.getElementById('send-key');

/** Also where the page does not come over HTTPS, and the browser has no randomUUID. */
const freshKey = () =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');

/** A number of an order is used once: the example gets one that nobody has used. */
function withFreshNumbers(text) {
  const body = JSON.parse(text);
  for (const name of ORDER_NUMBERS) if (name in body) body[name] += `-${freshKey().slice(0, 6)}`;
  return JSON.stringify(body, null, 2);
}

function requestOf(form) {
  const { method, path } = form.dataset;
  const fields = [...form.querySelectorAll('[data-in]')];
  const typedIn = (place) =>
    fields
      .filter(({ dataset, value }) => dataset.in === place && value.trim() !== '')
      .map(({ name, value }) => [name, value.trim()]);
  const filled = typedIn('path').reduce(
    (address, [name, value]) => address.replace(`{${name}}`, encodeURIComponent(value)),
    path,
  );
  const query = new URLSearchParams(typedIn('query')).toString();
  const [body] = typedIn('body').map(([, value]) => value);
  return {
    address: `${location.origin}/api/v1${filled}${query && `?${query}`}`,
    method,
    body,
    headers: {
      ...(keyField.value.trim() === '' ? {} : { Authorization: `Bearer ${keyField.value.trim()}` }),
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...Object.fromEntries(typedIn('header')),
    },
  };
}

async function send(form) {
  const key = keyField.value.trim();
  if (key !== '' && !key.startsWith('sk_test_'))
    return 'Only a test key, sk_test_…, is used on a page: a live key moves money.';
  const { address, ...request } = requestOf(form);
  const answer = await fetch(address, request);
  const text = await answer.text();
  fillIds(text);
  return `${answer.status} ${answer.statusText}\n${shown(text)}`;
}

function shown(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2).slice(0, SHOWN_MAX);
  } catch {
    return text.slice(0, SHOWN_MAX);
  }
}

/** What was created is what the other forms of the page ask about. */
function fillIds(text) {
  const [, id] = /"transaction_id":"([0-9a-f-]{36})"/.exec(text) ?? [];
  if (id === undefined) return;
  for (const field of document.querySelectorAll('.send [name="id"]')) field.value = id;
}

for (const details of document.querySelectorAll('.send')) {
  const form = details.querySelector('form');
  const key = form.elements['Idempotency-Key'];
  const answer = form.querySelector('output');
  const body = form.elements.body;
  if (body) body.value = withFreshNumbers(body.value);
  // A request is one order until something of it changes: sent again, it is answered again, and nothing moves twice.
  const renew = () => {
    if (key) key.value = freshKey();
  };
  renew();
  form.addEventListener('input', ({ target }) => {
    if (target !== key) renew();
  });
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    answer.textContent = 'Sending …';
    answer.textContent = await send(form).catch(() => 'No answer came.');
  });
  details.hidden = false;
}
keyField.closest('p').hidden = false;
