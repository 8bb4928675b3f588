import { languages } from './words.js';

const KEY = 'malipo-language';

let chosen = first();

export const language = () => chosen;

export function chooseLanguage(code) {
  chosen = code;
  localStorage.setItem(KEY, code);
}

export const word = (key, values = {}) => fill(languages[chosen].words[key], values);
export const messageText = (key, values) => fill(languages[chosen].messages[key], values);
export const endingText = (ending) => languages[chosen].endings[ending];

/** Writes the page's fixed words. */
export function writeWords() {
  document.documentElement.lang = chosen;
  document.title = `Malipo: ${word('title')}`;
  for (const place of document.querySelectorAll('[data-word]')) place.textContent = word(place.dataset.word);
}

/** TZS, with cents only where there are some. */
export function money(amount) {
  const digits = Number.isInteger(amount) ? 0 : 2;
  return `TZS ${amount.toLocaleString('en-US', { minimumFractionDigits: digits })}`;
}

export function timeOf(iso) {
  return new Date(iso).toLocaleTimeString('en-GB');
}

/** How long until then, for a person. */
export function leftUntil(iso) {
  const seconds = Math.max(0, Math.ceil((Date.parse(iso) - Date.now()) / 1000));
  return seconds < 120 ? word('seconds', { n: seconds }) : word('minutes', { n: Math.floor(seconds / 60) });
}

function fill(text, values) {
  return text.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
}

function first() {
  const known = localStorage.getItem(KEY) ?? navigator.language.slice(0, 2);
  return Object.hasOwn(languages, known) ? known : 'en';
}
