import type { z } from 'zod';
import type { proposalAnswer, proposedAnswer } from '../api/schemas.ts';
import { CommandError } from './command-error.ts';
import type { Context, To } from './context.ts';
import { segment } from './operator-client.ts';

type Answer = z.output<typeof proposalAnswer>;

/** So many characters identify one proposal. */
const HASH_CHARACTERS_MIN = 12;

export function addCommands({ program, run }: To): void {
  const proposals = program.command('proposals').description('actions on which two operators have to agree');
  proposals
    .command('approve <proposal>')
    .description('approve the proposal with this hash; it is carried out at once')
    .requiredOption(
      '--hash <hash>',
      `the hash that proposals show prints, at least ${HASH_CHARACTERS_MIN} characters`,
    )
    .action((id: string, { hash }: { hash: string }) => run((context) => approve(context, id, hash)));
}

export type Proposed = { action: string; payload: Record<string, unknown>; reason: string };

export async function propose({ api, print }: Context, asked: Proposed): Promise<void> {
  const answer = await api.post<z.output<typeof proposedAnswer>>('proposals', asked);
  if ('outcome' in answer) return print(answer.outcome);
  const { proposal } = answer;
  print(`proposed: ${proposal.summary}`);
  print(
    `another operator approves it until ${proposal.expires_at}: ` +
      `proposals approve ${proposal.id} --hash ${proposal.payload_hash.slice(0, HASH_CHARACTERS_MIN)}`,
  );
}

async function approve({ api, write }: Context, id: string, hash: string): Promise<void> {
  const path = `proposals/${segment(id)}`;
  const shown = (await api.get<Answer>(path)).proposal;
  if (hash.length < HASH_CHARACTERS_MIN || !shown.payload_hash.startsWith(hash.toLowerCase()))
    throw new CommandError(`This is not the hash of ${id}: look at it again with proposals show.`);
  const { proposal } = await api.post<Answer>(`${path}/approve`, { payload_hash: shown.payload_hash });
  if (proposal.state === 'failed') throw new CommandError(`Approved, but it failed: ${proposal.outcome}.`);
  // The outcome may contain a time that the next proposal needs.
  write(proposal.outcome ?? proposal.state);
}
