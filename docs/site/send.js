// Sends the requests of the reference from this page, with a test key that is not stored anywhere.

const SHOWN_MAX = 20_000;
const ORDER_NUMBERS = ['payment_number', 'batch_number'];

const keyField = document.getElementById('send-key');

/** Also works if the page does not come over HTTPS, when the browser has no randomUUID. */
const freshKey = () =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');

/** An order number can be used once, so the example gets a new one. */
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

/** The other forms of the page get the id of the created transaction. */
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
  // The form keeps its key until a field changes, so a repeated request gets the first answer and moves nothing twice.
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
