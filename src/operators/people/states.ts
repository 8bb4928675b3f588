/** Only the transaction that carries it out sees `approved`. `expired`: still proposed after its time was over. */
export const proposalStates = ['proposed', 'approved', 'rejected', 'expired', 'executed', 'failed'] as const;
export type ProposalState = (typeof proposalStates)[number];
