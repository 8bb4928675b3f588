import { createHttpClient, type HttpClient } from '../../src/channels/kit/http.ts';
import type { Protocol } from '../../src/channels/kit/protocol.ts';

/** A client that tells answers of a protocol from pages, as a connection's does. */
export function httpOf({ marks = [] }: Protocol, gate?: 'front'): HttpClient {
  return createHttpClient({ pages: { marks, gate } });
}
