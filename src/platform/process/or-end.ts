/** Reads what an operator wrote. Where that is wrong, the process ends with the words of the error, without a stack. */
export function orEnd<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
    process.exit(1);
  }
}
