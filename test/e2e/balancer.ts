import net from 'node:net';

/** What stands before several processes of one kind: each connection goes to the next one that takes it. */
export type Balancer = { url: string; targets: string[]; close(): Promise<void> };

export async function startBalancer(): Promise<Balancer> {
  const targets: string[] = [];
  const sockets = new Set<net.Socket>();
  let turn = 0;

  function join(near: net.Socket, far: net.Socket): void {
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      one.on('error', () => other.destroy());
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
    }
  }

  /** The next target, and those after it where nobody listens; nothing was passed on before one took the connection. */
  function connect(near: net.Socket, left = targets.length): void {
    const target = targets[turn++ % targets.length];
    if (target === undefined || left === 0) return void near.destroy();
    const { hostname, port } = new URL(target);
    const far = net.connect(Number(port), hostname);
    const goOn = () => connect(near, left - 1);
    far.once('error', goOn);
    far.once('connect', () => {
      far.off('error', goOn);
      sockets.add(far);
      join(near, far);
      near.pipe(far).pipe(near);
    });
  }

  const server = net.createServer({ pauseOnConnect: true }, (near) => {
    sockets.add(near);
    near.on('error', () => near.destroy());
    near.on('close', () => sockets.delete(near));
    connect(near);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as net.AddressInfo).port}`,
    targets,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
