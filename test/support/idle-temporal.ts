import type { Client } from '@temporalio/client';

/** A Temporal in which nothing runs: what a sweep asks of it, with whatever a test says instead. */
export function idleTemporal(workflow: object = {}): Client {
  return {
    workflow: { async *list() {}, ...workflow },
    withDeadline: (_deadline: number, work: () => Promise<unknown>) => work(),
  } as unknown as Client;
}
