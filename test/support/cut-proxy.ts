import net from 'node:net';

/** A way to a server that a test can cut, as a network does with a machine that no longer answers. */
export async function startCutProxy(target: string) {
  const [host, port] = target.split(':');
  const sockets = new Set<net.Socket>();
  const server = net.createServer((near) => {
    const far = net.connect(Number(port), host);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.pipe(other);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    address: `127.0.0.1:${(server.address() as net.AddressInfo).port}`,
    cut,
    /** the server is still there, and says nothing any more */
    silence() {
      for (const socket of sockets) socket.unpipe().pause();
    },
    async close() {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
