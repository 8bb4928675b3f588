import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { stopServers } from '../test/support/at-end.ts';
import { createTestDatabase } from '../test/support/database.ts';
import { collectStatements } from './statements/collect.ts';
import { createDescriber } from './statements/describe.ts';

/**
 * Writes src/platform/db/statements.d.ts: what each statement of src/ and sandbox/ takes and gives, as the migrated database describes it; with
 * `--check` it only says whether the committed file is current.
 */
const root = fileURLToPath(new URL('..', import.meta.url));
const file = 'src/platform/db/statements.d.ts';

const { texts, refused } = collectStatements(root);
const test = await createTestDatabase();
const client = new pg.Client({ connectionString: test.url });
await client.connect();
const describer = await createDescriber(client);
const lines: string[] = [];
for (const [text, place] of [...texts].sort(([a], [b]) => (a < b ? -1 : 1)))
  await describer
    .statement(text)
    .then((described) => lines.push(`  ${JSON.stringify(text)}: ${described};\n`))
    .catch((error) => refused.push(`${place.file}:${place.line}: ${error.message}`));
const written = `// Written by \`npm run statements\`: what each statement takes and gives, and the columns of each table.

/** A text that is below: any other does not compile. */
export type Statement = keyof Statements;

export interface Tables {
${describer.tables()}}

export interface Statements {
${lines.join('')}}
`;
await client.end();
await test.drop();
await stopServers();

for (const line of refused.sort()) console.error(line);
if (refused.length > 0) process.exitCode = 1;
if (!process.argv.includes('--check')) writeFileSync(`${root}/${file}`, written);
else if (readFileSync(`${root}/${file}`, 'utf8') !== written) {
  console.error(`${file} is out of date: run npm run statements`);
  process.exitCode = 1;
}
