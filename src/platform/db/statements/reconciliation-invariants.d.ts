// Written by `npm run statements`: what each statement takes and gives.

export interface ReconciliationInvariants {
  "SET LOCAL statement_timeout = 600000": { values: []; rows: never[] };
}
