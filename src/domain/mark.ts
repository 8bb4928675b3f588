/** How far Postgres has come: Temporal keeps the last one, so that an older copy is noticed (transactions/care/fence.ts). */
export type Mark = {
  /** Postgres's own name of the cluster */
  system: string;
  /** grows when a standby takes over */
  timeline: number;
  progress: number;
  /** the first serial of the last block of control numbers: none of it, and none before, is drawn again */
  serial: number;
};
