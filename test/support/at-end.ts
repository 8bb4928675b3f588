/** What closes the servers that something in this process was the first to need. */
export const closings: (() => Promise<unknown>)[] = [];

export async function stopServers(): Promise<void> {
  await Promise.all(closings.splice(0).map((close) => close()));
}
