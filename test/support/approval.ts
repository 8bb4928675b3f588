/** The command with which another operator approves what a command proposed: the last that it printed. */
export function approvalOf(printed: string): string[] {
  const [, command] = /(proposals approve \S+ --hash \S+)$/.exec(printed.trim()) ?? [];
  if (command === undefined) throw new Error(`nothing was proposed: ${printed}`);
  return command.split(' ');
}
