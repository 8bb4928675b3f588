/** Letters of Windows-1252 for bytes 80 to 9F. Node's decoder returns control characters for these bytes. */
const LETTERS = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';

export const windowsText = (latin: string) =>
  latin.replace(/[\x80-\x9f]/g, (byte) => LETTERS[byte.charCodeAt(0) - 0x80] as string);
