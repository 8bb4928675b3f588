/** How far Postgres has come. Temporal keeps the last mark to notice a copy (transactions/care/fence.ts). */
export type Mark = {
  /** Postgres's own name of the cluster */
  system: string;
  /** grows when a standby takes over */
  timeline: number;
  progress: number;
  /** first serial of the last block of control numbers: no number up to its end is drawn again */
  serial: number;
};
