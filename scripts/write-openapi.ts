import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { openApiText } from '../src/api/reference/openapi.ts';
import { endpoints } from '../src/api/routes.ts';

/** Writes openapi.json from the table of routes; with `--check` it only says whether the committed file is current. */
const path = fileURLToPath(new URL('../openapi.json', import.meta.url));
const text = openApiText(endpoints);

if (!process.argv.includes('--check')) writeFileSync(path, text);
else if (readFileSync(path, 'utf8') !== text) {
  console.error('openapi.json is out of date: run npm run openapi');
  process.exitCode = 1;
}
