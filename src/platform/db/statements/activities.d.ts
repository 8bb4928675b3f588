// Written by `npm run statements`: what each statement takes and gives.

export interface Activities {
  "SELECT FROM transactions WHERE id = $1": { values: [string | null]; rows: {  }[] };
  "SELECT extract(epoch FROM now() - created_at) * 1000 AS age,\n       greatest(0, extract(epoch FROM prompt_expires_at - now()) * 1000) AS prompt_left\n     FROM transactions WHERE id = $1": { values: [string | null]; rows: { age: string | null; prompt_left: string }[] };
}
