/** `approved` is seen by nobody but the transaction that carries it out; `expired` is what is still proposed too late. */
export const proposalStates = ['proposed', 'approved', 'rejected', 'expired', 'executed', 'failed'] as const;
export type ProposalState = (typeof proposalStates)[number];
