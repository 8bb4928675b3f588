import { type SaxesOptions, SaxesParser } from 'saxes';

/**
 * Makes the only XML parser, for messages and for the parts of a workbook: strict, in pieces, with XML's five
 * entities only. `refuse` throws, for text that is not well-formed and for a document type. The caller limits
 * the depth: the time grows with its square.
 */
export function xmlParser<Options extends SaxesOptions>(
  options: Options,
  refuse: (why: string, isType: boolean) => void,
): SaxesParser<Options> {
  const parser = new SaxesParser<Options>({
    position: false,
    defaultXMLVersion: '1.0',
    forceXMLVersion: true,
    ...options,
  });
  parser.on('error', ({ message }) => refuse(message, false));
  parser.on('doctype', () => refuse('a document type', true));
  return parser;
}
