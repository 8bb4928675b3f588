import type { Examples } from '../../../contract/json-of.ts';
import type { networkList } from '../../../contract/network-schemas.ts';

export const networkAnswers = {
  networks: {
    success: true,
    message: 'Networks retrieved successfully',
    networks: [
      {
        id: 'm-pesa',
        name: 'M-PESA',
        prefixes: ['074', '075', '076', '079'],
        payments: { status: 'up', min: 1000, max: 10000000 },
        payouts: { status: 'degraded', min: 1, max: 300000 },
      },
    ],
  },
} satisfies Examples<typeof networkList>;
