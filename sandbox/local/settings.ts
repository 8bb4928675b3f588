import path from 'node:path';
import { z } from 'zod';
import type { GatewayTiming } from '../../src/domain/timing.ts';

/** Settings of `npm start`: ports (0 picks a free one), a data folder, and servers to use instead. */
const port = z.coerce.number().int().min(0).max(65_535);
/** deploy/channels has a file for each. */
const localChannels = ['gsma', 'own', 'selcom', 'clickpesa'] as const;

const schema = z.object({
  DATA_DIR: z.string().default('.data'),
  API_PORT: port.default(3000),
  MANAGEMENT_PORT: port.default(3001),
  PAY_PORT: port.default(3002),
  WORKER_MANAGEMENT_PORT: port.optional(),
  SIMULATOR_PORT: port.default(4010),
  TEMPORAL_PORT: port.default(7233),
  TEMPORAL_UI_PORT: port.default(8233),
  POSTGRES_PORT: port.default(5433),
  DATABASE_URL: z.string().startsWith('postgres').optional(),
  TEMPORAL_ADDRESS: z
    .string()
    .regex(/^[^\s:/]+:\d+$/, 'must be host:port')
    .optional(),
  TEMPORAL_UI_URL: z.string().optional(),
  GATEWAY_TIMING: z.enum(['normal', 'fast']).default('normal'),
  LOCAL_CHANNELS: z.enum(localChannels).default('gsma'),
});

export type PortName =
  | 'API_PORT'
  | 'MANAGEMENT_PORT'
  | 'PAY_PORT'
  | 'WORKER_MANAGEMENT_PORT'
  | 'SIMULATOR_PORT'
  | 'TEMPORAL_PORT'
  | 'TEMPORAL_UI_PORT'
  | 'POSTGRES_PORT';

export type LocalSettings = {
  dataFolder: string;
  timing: GatewayTiming;
  channels: (typeof localChannels)[number];
  ports: Record<PortName, number>;
  databaseUrl: string | undefined;
  temporalAddress: string | undefined;
  temporalUiUrl: string | undefined;
};

/** Reads environment and arguments (`--fast`). Throws one sentence with everything that is wrong. */
export function readLocalSettings(
  environment: Record<string, string | undefined>,
  args: string[],
): LocalSettings {
  const unknown = args.filter((arg) => arg !== '--fast');
  if (unknown.length > 0) throw new Error(`npm start knows only --fast, not ${unknown.join(' ')}.`);
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const parsed = schema.safeParse(given);
  if (!parsed.success) {
    const wrong = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
    throw new Error(`These variables are wrong: ${wrong.join('; ')}.`);
  }
  const {
    DATA_DIR,
    DATABASE_URL,
    TEMPORAL_ADDRESS,
    TEMPORAL_UI_URL,
    GATEWAY_TIMING,
    LOCAL_CHANNELS,
    // With MANAGEMENT_PORT=0 another Malipo may run here and use 3003.
    WORKER_MANAGEMENT_PORT = parsed.data.MANAGEMENT_PORT === 0 ? 0 : 3003,
    ...ports
  } = parsed.data;
  return {
    dataFolder: path.resolve(DATA_DIR),
    timing: args.includes('--fast') ? 'fast' : GATEWAY_TIMING,
    channels: LOCAL_CHANNELS,
    ports: { ...ports, WORKER_MANAGEMENT_PORT },
    databaseUrl: DATABASE_URL,
    temporalAddress: TEMPORAL_ADDRESS,
    temporalUiUrl: TEMPORAL_UI_URL,
  };
}
