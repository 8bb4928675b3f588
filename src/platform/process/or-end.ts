/** Reads an operator's input. If it is wrong, the process ends with the error's message, without a stack. */
export function orEnd<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
    process.exit(1);
  }
}
