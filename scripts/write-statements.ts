import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { stopServers } from '../test/support/at-end.ts';
import { createTestDatabase } from '../test/support/database.ts';
import { collectStatements } from './statements/collect.ts';
import { createDescriber } from './statements/describe.ts';

/**
 * Writes src/platform/db/statements/: what each statement of src/ and sandbox/ takes and gives, as the migrated database describes it,
 * a file for each room; with `--check` it only says whether the committed files are current.
 */
const folder = fileURLToPath(new URL('../src/platform/db/statements', import.meta.url));
const { texts, refused } = collectStatements(fileURLToPath(new URL('..', import.meta.url)));
const test = await createTestDatabase();
const client = new pg.Client({ connectionString: test.url });
await client.connect();
const describer = await createDescriber(client);
const rooms = new Map<string, string[]>();
for (const [text, places] of [...texts].sort(([a], [b]) => (a < b ? -1 : 1))) {
  const [place] = places.values();
  await describer
    .statement(text)
    .then((described) => {
      for (const room of places.keys())
        rooms.set(room, [...(rooms.get(room) ?? []), `  ${JSON.stringify(text)}: ${described};\n`]);
    })
    .catch((error) => refused.push(`${place?.file}:${place?.line}: ${error.message}`));
}

const HEAD = '// Written by `npm run statements`';
const names = [...rooms.keys()].sort();
const typeOf = (room: string) => room.replace(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase());
const files: Record<string, string> = {
  'tables.d.ts': `${HEAD}: what each column takes. One with a \`?\` has a default, or is null without one.

export interface Tables {
${describer.tables(false)}}

/** What Postgres makes itself: identities, and columns that are made of others. */
export interface Made {
${describer.tables(true)}}
`,
  'index.d.ts': `${HEAD}: the statements of all rooms.
${names.map((room) => `import type { ${typeOf(room)} } from './${room}.d.ts';\n`).join('')}
/** A text that a room has: any other does not compile. */
export type Statement = keyof Statements;

export interface Statements extends ${names.map(typeOf).join(', ')} {}
`,
};
for (const [room, lines] of rooms)
  files[`${room}.d.ts`] = `${HEAD}: what each statement takes and gives.

export interface ${typeOf(room)} {
${lines.join('')}}
`;
await client.end();
await test.drop();
await stopServers();

for (const line of refused.sort()) console.error(line);
if (refused.length > 0) process.exitCode = 1;
const present = readdirSync(folder);
if (!process.argv.includes('--check')) {
  mkdirSync(folder, { recursive: true });
  for (const name of present) if (!(name in files)) rmSync(`${folder}/${name}`);
  for (const [name, text] of Object.entries(files)) writeFileSync(`${folder}/${name}`, text);
} else {
  const isCurrent = ([name, text]: [string, string]) =>
    present.includes(name) && readFileSync(`${folder}/${name}`, 'utf8') === text;
  const wrong = [
    ...Object.entries(files).flatMap((file) => (isCurrent(file) ? [] : file[0])),
    ...present.filter((name) => !(name in files)),
  ];
  if (wrong.length > 0) {
    console.error(`${folder}: ${wrong.join(', ')} out of date: run npm run statements`);
    process.exitCode = 1;
  }
}
