/** What closes the servers that something in this process was the first to need. */
export const closings: (() => Promise<unknown>)[] = [];

export async function stopServers(): Promise<void> {
  await Promise.all(closings.splice(0).map((close) => close()));
}

/** Closes what the tests of a `describe` share after all of its own `after` hooks, or with `each` its `afterEach` hooks, which may still need it. */
export function closeLast(close: () => unknown, each = false): void {
  before(function () {
    const suite = this.test?.parent;
    if (each) suite?.afterEach(close);
    else suite?.afterAll(close);
  });
}
