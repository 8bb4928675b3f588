import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { LOCAL_HOSTS } from '../../src/base/local-requests.ts';
import { loadConfig } from '../../src/config/config.ts';
import { processRoles } from '../../src/platform/db/grants.ts';
import { buildIdOf } from '../../src/platform/temporal/build-id.ts';
import { createTemporalClient } from '../../src/platform/temporal/connect.ts';
import { createDeployments } from '../../src/platform/temporal/deployments.ts';
import type { Addresses, Ports } from './addresses.ts';
import { channelsFile, channelVariables } from './channels.ts';
import { DEMO_BALANCE_TZS, DEMO_DEPOSIT, DEMO_NAME, type Demo } from './demo.ts';
import { simulatedProviders } from './providers.ts';
import { billTokenList, type LocalSecrets } from './secrets.ts';
import type { RunningServer, ServerCommand } from './server-process.ts';
import type { LocalSettings } from './settings.ts';
import type { ServiceSpecification } from './supervisor.ts';

export type Stack = {
  settings: LocalSettings;
  ports: Ports;
  addresses: Addresses;
  secrets: LocalSecrets;
  /** the owner's address; our processes have their own roles */
  databaseUrl: string;
};

/** A worker finishes its activities; Ctrl-C as a whole must take less than 5 s. */
const PATIENCE_MS = 2_500;
const READY_WITHIN_MS = 60_000;

/** The phone page shows the merchant in `demo`. */
export function simulatorService(
  stack: Stack,
  demo: Pick<Demo, 'apiKey' | 'approverApiKey'>,
): ServiceSpecification {
  return {
    name: 'simulator',
    command: nodeCommand('sandbox/simulator', 128, {
      ...fromOutside(),
      ALLOWED_HOSTS: allowedHosts(stack),
      SIMULATOR_PORT: String(stack.ports.SIMULATOR_PORT),
      SIMULATOR_FAST: String(stack.settings.timing === 'fast'),
      SIMULATOR_BUSINESS: DEMO_NAME,
      SIMULATOR_BOOK: path.join(stack.settings.dataFolder, 'simulator-book.jsonl'),
      SIMULATOR_RECEIVER_PASSPHRASE: stack.secrets.passphrase,
      SIMULATOR_GSMA_USERNAME: 'malipo',
      SIMULATOR_GSMA_PASSWORD: stack.secrets.GSMA_PASSWORD,
      SIMULATOR_BANK_SECRET: stack.secrets.BANK_SECRET,
      SIMULATOR_BANK_CALLBACK_URL: `${stack.addresses.api_url}/channels/iso20022`,
      SIMULATOR_BANK_DEPOSIT: `${DEMO_DEPOSIT}:${DEMO_BALANCE_TZS}`,
      SIMULATOR_GATEWAY_URL: stack.addresses.api_url,
      SIMULATOR_BILL_TOKENS: billTokenList(stack.secrets),
      SIMULATOR_MERCHANT_KEY: demo.apiKey,
      SIMULATOR_APPROVER_KEY: demo.approverApiKey,
      SIMULATOR_PROVIDERS: JSON.stringify(simulatedProviders(stack.secrets.providers, stack.addresses)),
    }),
    ready: saysReady,
    readyWithinMs: READY_WITHIN_MS,
    patienceMs: PATIENCE_MS,
  };
}

export function workerService(stack: Stack): ServiceSpecification {
  return {
    name: 'worker',
    command: nodeCommand('src/worker', 384, {
      ...gatewayEnvironment(stack, 'worker'),
      WORKER_MANAGEMENT_PORT: String(stack.ports.WORKER_MANAGEMENT_PORT),
    }),
    ready: saysReady,
    readyWithinMs: READY_WITHIN_MS,
    patienceMs: PATIENCE_MS,
  };
}

/** Makes the worker's version current. Before that Temporal gives it no work. */
export async function makeWorkerCurrent(stack: Stack, environment: NodeJS.ProcessEnv = {}): Promise<void> {
  const config = loadConfig({ ...gatewayEnvironment(stack, 'worker'), ...environment });
  const temporal = createTemporalClient(config);
  try {
    await createDeployments(temporal.client, 'npm start').makeCurrent(buildIdOf(config.BUILD_ID), {
      waitMs: READY_WITHIN_MS,
    });
  } finally {
    await temporal.close();
  }
}

/** The reference at /docs offers `demoKey`. */
export function apiService(stack: Stack, demoKey?: string): ServiceSpecification {
  return {
    name: 'API',
    command: nodeCommand('src/server', 256, {
      ...gatewayEnvironment(stack, 'api'),
      DOCS_DEMO_KEY: demoKey ?? '',
    }),
    ready: () => untilOk(`${stack.addresses.management_url}/readyz`),
    readyWithinMs: READY_WITHIN_MS,
    patienceMs: PATIENCE_MS,
  };
}

/** The stack's own values win over the environment. */
export function gatewayEnvironment(stack: Stack, role: 'api' | 'worker'): NodeJS.ProcessEnv {
  const { ports, addresses, secrets, settings } = stack;
  return {
    CHANNELS_FILE: channelsFile(settings.channels),
    ...channelVariables(secrets, addresses),
    // Ctrl-C must be quick, and there is no load balancer here.
    SHUTDOWN_NOTICE_MS: '0',
    SHUTDOWN_GRACE_MS: '2000',
    // This machine has one version: the current code continues every open payment.
    BUILD_ID: 'local',
    // A lookup at a silent name server holds a thread. The image sets the same number.
    UV_THREADPOOL_SIZE: '32',
    ...(addresses.temporal_ui_url
      ? { CODEC_UI_ORIGINS: originsOf(addresses.temporal_ui_url), TEMPORAL_UI_URL: addresses.temporal_ui_url }
      : {}),
    ...fromOutside(),
    MALIPO_ENV: 'development',
    ALLOWED_HOSTS: allowedHosts(stack),
    DATABASE_URL: roleUrl(stack, role),
    TEMPORAL_ADDRESS: addresses.temporal_address,
    API_PORT: String(ports.API_PORT),
    MANAGEMENT_PORT: String(ports.MANAGEMENT_PORT),
    PAY_PORT: String(ports.PAY_PORT),
    PAY_URL: process.env.PAY_URL || addresses.pay_url,
    PUBLIC_URL: process.env.PUBLIC_URL || addresses.api_url,
    GATEWAY_TIMING: settings.timing,
    KEY_HASH_SECRET: secrets.KEY_HASH_SECRET,
    ENCRYPTION_KEY: secrets.ENCRYPTION_KEY,
    SUBMISSION_KEY: secrets.SUBMISSION_KEY,
    NOTIFICATION_SECRET: secrets.NOTIFICATION_SECRET,
    PAGE_KEY: secrets.PAGE_KEY,
  };
}

function roleUrl({ databaseUrl, secrets }: Stack, role: 'api' | 'worker'): string {
  const url = new URL(databaseUrl);
  url.username = processRoles[role];
  url.password = role === 'api' ? secrets.postgresApiPassword : secrets.postgresWorkerPassword;
  return url.href;
}

/** A browser on this machine may use either name. */
function originsOf(url: string): string {
  const { origin } = new URL(url);
  return [...new Set([origin, origin.replace('127.0.0.1', 'localhost')])].join(',');
}

/** Without this list everybody in the network, and every web page, could call our ports. */
function allowedHosts({ addresses }: Pick<Stack, 'addresses'>): string {
  const urls = [process.env.PAY_URL || addresses.pay_url, process.env.PUBLIC_URL || addresses.api_url];
  const configured = (process.env.ALLOWED_HOSTS ?? '').split(',').map((host) => host.trim());
  const named = urls.map((url) => new URL(url).hostname);
  return [...new Set([...LOCAL_HOSTS, ...named, ...configured])].filter((host) => host !== '').join(',');
}

function fromOutside(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([, value]) => value !== ''));
}

/** Runs an entry file as we were run: from source with tsx, or compiled. */
function nodeCommand(entry: string, heapMb: number, env: NodeJS.ProcessEnv): ServerCommand {
  const fromSource = import.meta.url.endsWith('.ts');
  const file = fileURLToPath(new URL(`../../${entry}.${fromSource ? 'ts' : 'js'}`, import.meta.url));
  return {
    command: process.execPath,
    args: [`--max-old-space-size=${heapMb}`, ...(fromSource ? ['--import', 'tsx'] : []), file],
    env,
    stopSignal: 'SIGTERM',
    ipc: true,
  };
}

function saysReady(server: RunningServer): Promise<void> {
  return new Promise((resolve) => {
    server.child.on('message', (message) => {
      if (message === 'ready') resolve();
    });
  });
}

async function untilOk(url: string): Promise<void> {
  for (;;) {
    const answer = await fetch(url, { signal: AbortSignal.timeout(3_000) }).catch(() => undefined);
    if (answer?.ok) return;
    await pause(100);
  }
}
