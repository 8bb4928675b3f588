// Makes an API key in this browser. The key is not sent or stored anywhere; the service gets only its fingerprint.

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const ID_LENGTH = 12;
const SECRET_LENGTH = 32;
const CHECK_LENGTH = 6;
/** The largest multiple of 62 in a byte. Bytes from here on are skipped, so that all letters are equally likely. */
const BYTES_USED = 248;

const byId = (id) => document.getElementById(id);
const button = byId('make');

function randomText(length) {
  let text = '';
  while (text.length < length)
    for (const byte of crypto.getRandomValues(new Uint8Array(length)))
      if (byte < BYTES_USED && text.length < length) text += ALPHABET[byte % ALPHABET.length];
  return text;
}

const digestOf = async (text) =>
  new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)));

/** Computes the check at the end of a key, which finds typing errors without asking the service. */
async function checkOf(text) {
  let number = new DataView((await digestOf(text)).buffer).getUint32(0);
  let check = '';
  for (let i = 0; i < CHECK_LENGTH; i += 1) {
    check = ALPHABET[number % ALPHABET.length] + check;
    number = Math.floor(number / ALPHABET.length);
  }
  return check;
}

function problemWith(id) {
  if (!crypto.subtle) return 'Open this page over https: without it a browser makes no fingerprint.';
  if (id !== '' && !/^[0-9A-Za-z]{12}$/.test(id))
    return 'This is no id of a key: it has 12 letters and digits.';
  return '';
}

async function make() {
  const { prefix } = button.dataset;
  const given = byId('of').value.trim();
  const asked = given.startsWith(`${prefix}_`) ? given.slice(prefix.length + 1) : given;
  const problem = problemWith(asked);
  byId('problem').textContent = problem;
  byId('made').hidden = true;
  if (problem !== '') return;
  const id = asked || randomText(ID_LENGTH);
  const begun = `${prefix}_${id}_${randomText(SECRET_LENGTH)}`;
  const key = begun + (await checkOf(begun));
  const fingerprint = [...(await digestOf(key))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  byId('key-text').textContent = key;
  byId('key-printed').textContent = `${prefix}_${id}:${fingerprint}`;
  byId('made').hidden = false;
}

button.addEventListener('click', make);
byId('client-command').textContent = byId('client-command').textContent.replace('{api_url}', location.origin);
