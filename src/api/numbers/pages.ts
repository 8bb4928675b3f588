import type { KeyRing } from '../../base/key-ring.ts';
import { pageTokenOf } from '../../transactions/rows/page-token.ts';
import type { BillSettings } from '../kit/gateway-call.ts';

export function withPages(
  { payUrl, ...bills }: Omit<BillSettings, 'payUrlOf' | 'linkUrlOf'> & { payUrl: string | null },
  tokenKeys: KeyRing,
): BillSettings {
  const below = (path: string) => (payUrl === null ? undefined : `${payUrl}/${path}`);
  return {
    ...bills,
    payUrlOf: (id) => below(`pay/${pageTokenOf(tokenKeys, id)}`),
    linkUrlOf: (code) => below(`l/${code}`),
  };
}
