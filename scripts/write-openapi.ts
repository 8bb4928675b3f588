import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { openApiText } from '../src/api/reference/openapi.ts';
import { endpoints } from '../src/api/routes.ts';
import { calls } from '../src/operator-api/calls.ts';
import { operatorOpenApiText } from '../src/operator-api/openapi.ts';

/** Writes the two documents from their tables; with `--check` it only says whether the committed files are current. */
const documents = {
  'openapi.json': openApiText(endpoints),
  'operator-openapi.json': operatorOpenApiText(calls),
};

for (const [name, text] of Object.entries(documents)) {
  const path = fileURLToPath(new URL(`../${name}`, import.meta.url));
  if (!process.argv.includes('--check')) writeFileSync(path, text);
  else if (!existsSync(path) || readFileSync(path, 'utf8') !== text) {
    console.error(`${name} is out of date: run npm run openapi`);
    process.exitCode = 1;
  }
}
