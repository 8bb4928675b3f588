/** Only the executing transaction sees `approved`. `expired` is stored as `proposed`; its time is over. */
export const proposalStates = ['proposed', 'approved', 'rejected', 'expired', 'executed', 'failed'] as const;
export type ProposalState = (typeof proposalStates)[number];
