import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type OpenApiDocument, readOpenApi } from './openapi-document.ts';

/** It is not part of this repository; CONTRIBUTING.md says where to get it. */
const DOCUMENT = resolve(process.env.GSMA_OPENAPI ?? '../shared/gsma/mobile-money-api-1.2.0.yaml');

/** The tests of a suite that hold messages against the published document of the GSMA, or one line that says that it is not here. */
export function withGsmaDocument(tests: (document: OpenApiDocument) => void): void {
  if (existsSync(DOCUMENT)) return void tests(readOpenApi(readFileSync(DOCUMENT, 'utf8')));
  it('IS NOT HERE: set GSMA_OPENAPI to its path', function () {
    console.error(
      'NOT TESTED: messages against the published GSMA document, because GSMA_OPENAPI names none',
    );
    this.skip();
  });
}
