import { byId } from './dom.js';
import { amountIn, word } from './language.js';
import { pay } from './phone.js';

/** Reads a QR code from a screen, a picture, pasted text or the camera; then the person pays. */

const PICTURE_PIXELS_MAX = 1_600;
const LOOK_EVERY_MS = 250;
const LOOK_MS_MAX = 60_000;

export function startScan(refresh) {
  byId('scan-form').addEventListener('submit', (event) => {
    event.preventDefault();
    const text = byId('qr-text').value.trim();
    // A payment link's printed code: a phone opens it.
    if (/^https?:\/\//.test(text)) return void window.open(text, '_blank', 'noopener');
    const typed = byId('qr-amount').value.trim();
    const amount = amountIn(typed);
    if (typed !== '' && amount === null) return say('amount_wrong');
    const body = { payload: text, ...(amount === null ? {} : { amount }) };
    void pay('scan-qr', body, byId('scan-outcome')).then(refresh);
  });
  byId('scan-picture').addEventListener('change', ({ target }) => readFile(target.files[0]));
  byId('qr-text').addEventListener('paste', (event) => {
    const picture = [...event.clipboardData.files].find(({ type }) => type.startsWith('image/'));
    if (!picture) return;
    event.preventDefault();
    void readFile(picture);
  });
  byId('scan-shown').addEventListener('click', scanShown);
  byId('scan-camera').addEventListener('click', lookThroughCamera);
}

function say(key, isGood = false) {
  const outcome = byId('scan-outcome');
  outcome.className = isGood ? 'good' : 'bad';
  outcome.textContent = word(key);
}

function take(text) {
  byId('qr-text').value = text;
  say('scanned', true);
}

async function readFile(file) {
  if (!file) return;
  const picture = await createImageBitmap(file).catch(() => null);
  takeOrSay(picture === null ? null : await textIn(picture, picture), 'no_code');
}

async function scanShown() {
  const shown = byId('answer').querySelector('img');
  if (!shown) return say('nothing_shown');
  await shown.decode();
  takeOrSay(await textIn(shown, { width: shown.naturalWidth, height: shown.naturalHeight }), 'no_code');
}

function takeOrSay(text, otherwise) {
  if (text === null) say(otherwise);
  else take(text);
}

async function lookThroughCamera() {
  const video = byId('camera');
  const stream = await navigator.mediaDevices
    ?.getUserMedia({ video: { facingMode: 'environment' } })
    .catch(() => null);
  if (!stream) return say('no_camera');
  video.srcObject = stream;
  video.hidden = false;
  await video.play();
  const end = Date.now() + LOOK_MS_MAX;
  let text = null;
  while (text === null && Date.now() < end) {
    text = await textIn(video, { width: video.videoWidth, height: video.videoHeight });
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
  for (const track of stream.getTracks()) track.stop();
  video.hidden = true;
  takeOrSay(text, 'no_code');
}

/** Returns null if the picture has no QR code. */
async function textIn(picture, { width, height }) {
  const read = await reader();
  if (width === 0 || height === 0) return null;
  const scale = Math.min(1, PICTURE_PIXELS_MAX / Math.max(width, height));
  const canvas = document.createElement('canvas');
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  const paper = canvas.getContext('2d', { willReadFrequently: true });
  paper.drawImage(picture, 0, 0, canvas.width, canvas.height);
  const { data } = paper.getImageData(0, 0, canvas.width, canvas.height);
  return read(data, canvas.width, canvas.height)?.data ?? null;
}

/** The reader is large, so it loads at the first scan. It is an old script and leaves a global name. */
const READER = '/page/jsqr.js';
let loading;
function reader() {
  loading ??= import(READER).then(() => globalThis.jsQR);
  return loading;
}
