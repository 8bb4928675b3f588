import { byId, call } from './dom.js';
import { chooseLanguage, language, word, writeWords } from './language.js';
import { showEndings, showMerchant, startMerchant } from './merchant.js';
import { showPhone, startPhone } from './phone.js';
import { startScan } from './scan.js';
import { showWire } from './wire.js';

/** The page asks the simulator again and again while it is visible: it stores nothing. */

const LOOK_EVERY_MS = 1_000;

let asking = null;
let isAskedAgain = false;

/** Shows the present state. A call during another one causes one more round. */
function refresh() {
  if (asking) {
    isAskedAgain = true;
    return asking;
  }
  asking = look().finally(() => {
    asking = null;
    if (!isAskedAgain) return;
    isAskedAgain = false;
    void refresh();
  });
  return asking;
}

async function look() {
  const trouble = byId('trouble');
  try {
    const settings = await call('/phone/settings');
    const { business } = settings.json;
    const [wrong] = await Promise.all([showMerchant(), showPhone(refresh, business), showWire()]);
    showMode(settings.json.by_hand);
    showEndings(settings.json.endings, refresh);
    trouble.textContent = wrong ?? '';
  } catch (error) {
    trouble.textContent = word('unreachable');
    if (!(error instanceof TypeError)) throw error;
  }
  trouble.hidden = trouble.textContent === '';
}

function showMode(byHand) {
  for (const choice of byId('mode').querySelectorAll('input'))
    choice.checked = choice.value === (byHand ? 'hand' : 'automatic');
}

byId('mode').addEventListener('change', async ({ target }) => {
  await call('/phone/settings', { body: { by_hand: target.value === 'hand' } });
  await refresh();
});

byId('language').addEventListener('change', ({ target }) => {
  chooseLanguage(target.value);
  writeWords();
  // Answers in the other language.
  for (const said of document.querySelectorAll('[role="status"], #pay-confirm')) said.replaceChildren();
  void refresh();
});

for (const choice of byId('language').querySelectorAll('input')) choice.checked = choice.value === language();
writeWords();
startPhone(refresh);
startScan(refresh);
startMerchant(refresh);
void refresh();
setInterval(() => document.hidden || refresh(), LOOK_EVERY_MS);
document.addEventListener('visibilitychange', () => document.hidden || refresh());
