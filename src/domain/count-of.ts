/** Writes a count with its noun: `1 item`, `2 items`. */
export const countOf = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;
