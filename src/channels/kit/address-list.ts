import { BlockList, isIP } from 'node:net';

/** Entries are addresses and networks (`196.201.0.0/16`). Without entries every address passes. */
export function createAddressList(entries: readonly string[]): (address: string) => boolean {
  if (entries.length === 0) return () => true;
  const list = new BlockList();
  for (const entry of entries) {
    const [address = '', bits] = entry.split('/');
    const isV6 = isIP(address) === 6;
    list.addSubnet(address, bits === undefined ? (isV6 ? 128 : 32) : Number(bits), isV6 ? 'ipv6' : 'ipv4');
  }
  return (address) => {
    const version = isIP(address);
    return version !== 0 && list.check(address, version === 6 ? 'ipv6' : 'ipv4');
  };
}
