/** A mark says how far Postgres has come. If Temporal's last mark is newer, this Postgres is an old copy. */
export type Mark = {
  /** Postgres's own name of the cluster */
  system: string;
  /** grows when a standby takes over */
  timeline: number;
  progress: number;
  /** first serial of the last block of control numbers; new numbers begin after that block */
  serial: number;
};
