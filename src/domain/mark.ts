/** How far Postgres has come: Temporal keeps the last one, so that an older copy is noticed (transactions/fence.ts). */
export type Mark = {
  /** Postgres's own name of the cluster */
  system: string;
  /** grows when a standby takes over */
  timeline: number;
  progress: number;
  /** the last control number's serial: none up to it is given again */
  serial: number;
};
