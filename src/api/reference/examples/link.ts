import type { z } from 'zod';
import type { Examples } from '../../../contract/json-of.ts';
import type { linkAnswer, linkList } from '../../../contract/link-schemas.ts';
import { pageOf } from './page.ts';

const dress = { amount: 35000, description: 'Kitenge dress, size 12' } as const;

export const linkBodies = {
  one_customer: dress,
  the_wall: { description: 'Mama Ntilie, lunch', quantity: 'many' },
} as const;

const link: z.output<typeof linkAnswer>['link'] = {
  id: '8d0c1f7a-2a4e-5c19-9a50-1f1c3c0f7be2',
  url: 'https://lipa.example.com/l/k7m2xq9a',
  ...dress,
  quantity: 'once',
  status: 'open',
  payments: 0,
  paid: 0,
  created_at: '2026-11-20T08:15:30.123000Z',
};

export const linkAnswers = {
  open: { success: true, message: 'The link can be paid now', link },
  paid: {
    success: true,
    message: 'Link retrieved successfully',
    link: { ...link, status: 'paid', payments: 1, paid: 35000 },
  },
} satisfies Examples<typeof linkAnswer>;

export const linkListAnswers = {
  page: pageOf('Links retrieved successfully', [link]),
} satisfies Examples<typeof linkList>;
