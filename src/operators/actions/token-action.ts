import { z } from 'zod';
import type { KeyRing } from '../../base/key-ring.ts';
import { conflict } from '../../domain/errors.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { TOKEN_DAYS, TOKEN_DAYS_MAX } from '../people/token-text.ts';
import { addToken, countLiveTokens, lockOperator } from '../people/tokens.ts';
import { type Declared, declare, documented, exampleFingerprint, sentenceField } from './actions.ts';

/** The owner makes the token. Operators see only its fingerprint, so nobody can act as two people. */
export function operatorTokenAction(hashSecrets: KeyRing): Declared {
  return declare({
    title: 'Activate a token',
    command: 'operators token <operator> <token_id:fingerprint>',
    note: 'Ask its owner for the fingerprint, by phone or face to face.',
    example: [
      'joined the desk',
      { operator: 'neema', token_id: '7Hs20KpmQ4wy', fingerprint: exampleFingerprint, days: 30 },
    ],
    role: 'admin',
    payload: z.strictObject({
      operator: sentenceField(40).meta(documented('The name of the operator')),
      token_id: z
        .string('is required')
        .regex(/^[0-9A-Za-z]{12}$/, 'must be what operators new-token printed')
        .meta({ title: 'Token id and fingerprint', face: { with: 'fingerprint' } }),
      fingerprint: z
        .string('is required')
        .regex(/^[0-9a-f]{64}$/, 'must be what operators new-token printed')
        .meta({ description: 'SHA-256 of the token in hex; it gives no access' }),
      days: z.int().min(1).max(TOKEN_DAYS_MAX).default(TOKEN_DAYS).meta({ title: 'Days until it expires' }),
    }),
    describe: ({ operator, token_id, fingerprint, days }) =>
      `${operator} can sign in for ${days} days with the token ${token_id}:${fingerprint}. ` +
      `Before you approve, ask ${operator} for this fingerprint`,
    lock: (db, { operator }) => lockOperator(db, operator),
    check: requireNone,
    async execute(db, asked, { actor, proposalId }) {
      const { operator, token_id: tokenId, fingerprint, days } = asked;
      const added = { operator, tokenId, fingerprint, days, actor, proposalId, issuedBy: proposalId };
      const expiresAt = await addToken(db, hashSecrets[0], { ...added, action: 'operators.token' });
      return { outcome: `${operator} can sign in with the token ${tokenId} until ${expiresAt}` };
    },
  });
}

/** An owner replaces a token with the token itself. A lost one is revoked first, so a theft is noticed. */
async function requireNone(db: Queryable, { operator }: { operator: string }): Promise<void> {
  await lockOperator(db, operator);
  if ((await countLiveTokens(db, operator)) > 0)
    throw conflict(
      `${operator} has a token: only ${operator} can replace it (operators rotate). ` +
        'If it is lost, revoke it first',
    );
}
