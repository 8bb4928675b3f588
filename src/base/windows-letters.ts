/** Letters of the bytes 80 to 9F; the five that have none stay as they are. Node's own decoder gives controls for all of them. */
const LETTERS = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';

/** Text of windows-1252, whose bytes were read as Latin-1. */
export const windowsText = (latin: string) =>
  latin.replace(/[\x80-\x9f]/g, (byte) => LETTERS[byte.charCodeAt(0) - 0x80] as string);
