/** A line of code that is wrong on purpose, and the tests that have to notice it. */
export type Fault = {
  /** what becomes of money, in a few words */
  name: string;
  file: string;
  /** stands in the file exactly once */
  text: string;
  /** left out: nothing, the line is gone */
  replacement?: string;
  /** test files; one of them fails while the fault is there */
  tests: readonly string[];
};

export const inFile = (file: string, faults: readonly Omit<Fault, 'file'>[]): Fault[] =>
  faults.map((fault) => ({ ...fault, file }));

export function nameOf({ file, name }: Fault): string {
  return `${file}: ${name}`;
}

/** The source with the fault in it. Throws where the text is not there exactly once: the table is out of date. */
export function planted(source: string, fault: Fault): string {
  const places = source.split(fault.text).length - 1;
  if (places !== 1) throw new Error(`${nameOf(fault)}: its text is there ${places} times, not once`);
  return source.replace(fault.text, () => fault.replacement ?? '');
}
