// Written by `npm run statements`: what each statement takes and gives.

export interface Sandbox {
  "SELECT 1": { values: []; rows: [{ "?column?": number }] };
  "SELECT 1 FROM pg_database WHERE datname = $1": { values: [string | null]; rows: { "?column?": number }[] };
}
