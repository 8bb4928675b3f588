import { BlockList, isIP } from 'node:net';

export function isAllowed(allowed: readonly string[], address: string): boolean {
  if (allowed.length === 0) return true;
  const list = new BlockList();
  for (const entry of allowed) {
    const read = readNetwork(entry);
    if (read) list.addSubnet(read.network, read.bits, read.family);
  }
  const plain = address.replace(/^::ffff:/i, '');
  const version = isIP(plain);
  return version !== 0 && list.check(plain, familyOf(version));
}

/** Reads an address or network (`10.0.0.0/8`); null for anything else, such as an address with a zone. */
export function readNetwork(
  entry: string,
): { network: string; bits: number; family: 'ipv4' | 'ipv6' } | null {
  const [network = '', size, ...more] = entry.split('/');
  const version = isIP(network);
  const most = version === 6 ? 128 : 32;
  const bits = size === undefined ? most : /^\d{1,3}$/.test(size) ? Number(size) : most + 1;
  return version !== 0 && bits <= most && more.length === 0 && !network.includes('%')
    ? { network, bits, family: familyOf(version) }
    : null;
}

const familyOf = (version: number) => (version === 6 ? 'ipv6' : 'ipv4');
