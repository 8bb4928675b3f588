/**
 * Only the executing transaction sees `approved`. `expired` proposals are stored as `proposed`; their time is
 * over.
 */
export const proposalStates = ['proposed', 'approved', 'rejected', 'expired', 'executed', 'failed'] as const;
export type ProposalState = (typeof proposalStates)[number];
