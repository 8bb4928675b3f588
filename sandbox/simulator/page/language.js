import { languages } from './words.js';

const KEY = 'malipo-language';
const ZONE = 'Africa/Dar_es_Salaam';

let chosen = first();

export const language = () => chosen;

export function chooseLanguage(code) {
  chosen = code;
  localStorage.setItem(KEY, code);
}

export const word = (key, values = {}) => fill(languages[chosen].words[key], values);
/** `texts`: the network's own texts for moved money. */
export const messageText = (key, values, texts) =>
  fill(texts?.[chosen][key] ?? languages[chosen].messages[key], values);
export const endingText = (ending) => languages[chosen].endings[ending];

export function writeWords() {
  document.documentElement.lang = chosen;
  document.title = `Malipo: ${word('title')}`;
  for (const place of document.querySelectorAll('[data-word]')) place.textContent = word(place.dataset.word);
}

/** TZS, with cents only if there are some. */
export function money(amount) {
  const digits = Number.isInteger(amount) ? 0 : 2;
  return `TZS ${amount.toLocaleString('en-US', { minimumFractionDigits: digits })}`;
}

/** Reads an amount with or without commas; null if it is none. Both sides of the page use this. */
export function amountIn(text) {
  const plain = /^\d{1,3}(,\d{3})+(\.\d{1,2})?$/.test(text.trim()) ? text.replaceAll(',', '') : text.trim();
  return /^\d{1,13}(\.\d{1,2})?$/.test(plain) && Number(plain) > 0 ? Number(plain) : null;
}

export function timeOf(iso) {
  return new Date(iso).toLocaleTimeString('en-GB', { timeZone: ZONE });
}

export function dateOf(iso) {
  return new Date(iso).toLocaleDateString('en-GB', { timeZone: ZONE });
}

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
