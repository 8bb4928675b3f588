import { readFileSync } from 'node:fs';
import type { TLSConfig } from '@temporalio/client';
import { Client, Connection } from '@temporalio/client';
import type { DataConverter } from '@temporalio/common';
import type { Config } from '../../config/config.ts';
import { succeeds } from '../process/promises.ts';
import { type PayloadSettings, payloadCodecOf } from './codec.ts';
import { traceStarts } from './tracing.ts';

export type TemporalSettings = Pick<
  Config,
  | 'TEMPORAL_ADDRESS'
  | 'TEMPORAL_NAMESPACE'
  | 'TEMPORAL_API_KEY'
  | 'TEMPORAL_TLS'
  | 'TEMPORAL_TLS_SERVER_CA_CERT_PATH'
  | 'TEMPORAL_TLS_SERVER_NAME'
  | 'TEMPORAL_TLS_CLIENT_CERT_PATH'
  | 'TEMPORAL_TLS_CLIENT_KEY_PATH'
> &
  PayloadSettings;

export type TemporalClient = {
  client: Client;
  connection: Connection;
  /** sends our credentials, because GetSystemInfo works even with wrong ones */
  isReachable(timeoutMs: number): Promise<boolean>;
  close(): Promise<void>;
};

/** Clients and workers share these. Throws if a certificate's file cannot be read. */
export function connectionOptions(settings: TemporalSettings): {
  address: string;
  tls?: TLSConfig;
  apiKey?: string;
} {
  const apiKey = settings.TEMPORAL_API_KEY;
  return {
    address: settings.TEMPORAL_ADDRESS,
    ...(settings.TEMPORAL_TLS ? { tls: tlsOf(settings) } : {}),
    ...(apiKey === undefined ? {} : { apiKey }),
  };
}

/** Uses the system's certificates and the name in the address by default. */
function tlsOf(settings: TemporalSettings): TLSConfig {
  const {
    TEMPORAL_TLS_SERVER_CA_CERT_PATH: authority,
    TEMPORAL_TLS_SERVER_NAME: serverName,
    TEMPORAL_TLS_CLIENT_CERT_PATH: certificate,
    TEMPORAL_TLS_CLIENT_KEY_PATH: key,
  } = settings;
  return {
    ...(authority ? { serverRootCACertificate: readFileSync(authority) } : {}),
    ...(serverName ? { serverNameOverride: serverName } : {}),
    ...(certificate && key
      ? { clientCertPair: { crt: readFileSync(certificate), key: readFileSync(key) } }
      : {}),
  };
}

/** gRPC's default would wait up to 2 min before it tries the server again. */
const RECONNECT_MS = { 'grpc.initial_reconnect_backoff_ms': 200, 'grpc.max_reconnect_backoff_ms': 2_000 };

/** Every client and worker needs the same converter to read the others' payloads. */
export function dataConverterOf(settings: TemporalSettings): DataConverter {
  const codec = payloadCodecOf(settings);
  return codec ? { payloadCodecs: [codec] } : {};
}

/** Returns a client that connects at its first call. Calls have no deadline: use `client.withDeadline`. */
export function createTemporalClient(settings: TemporalSettings): TemporalClient {
  const connection = Connection.lazy({ ...connectionOptions(settings), channelArgs: RECONNECT_MS });
  const client = new Client({
    connection,
    namespace: settings.TEMPORAL_NAMESPACE,
    dataConverter: dataConverterOf(settings),
    interceptors: { workflow: [traceStarts] },
  });
  const namespace = settings.TEMPORAL_NAMESPACE;
  const describe = () => connection.workflowService.describeNamespace({ namespace });
  return {
    client,
    connection,
    isReachable: (timeoutMs) => succeeds(connection.withDeadline(Date.now() + timeoutMs, describe)),
    close: () => connection.close(),
  };
}
