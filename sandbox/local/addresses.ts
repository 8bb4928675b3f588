import { claimPort, freePort } from './ports.ts';
import type { LocalSettings, PortName } from './settings.ts';

const uses: Record<PortName, string> = {
  API_PORT: 'the API',
  MANAGEMENT_PORT: 'health and metrics',
  WORKER_MANAGEMENT_PORT: "the worker's metrics",
  PAY_PORT: 'the pages to pay on',
  SIMULATOR_PORT: 'the simulator',
  TEMPORAL_PORT: 'Temporal',
  TEMPORAL_UI_PORT: "Temporal's web UI",
  POSTGRES_PORT: 'Postgres',
};

export type Ports = Record<PortName, number>;

/** Checks that the given ports are free and picks free ones for 0. Throws one sentence for a taken port. */
export async function claimPorts(settings: LocalSettings): Promise<Ports> {
  const ports = { ...settings.ports };
  const notOurs: PortName[] = [
    ...(settings.databaseUrl === undefined ? [] : (['POSTGRES_PORT'] as const)),
    ...(settings.temporalAddress === undefined ? [] : (['TEMPORAL_PORT', 'TEMPORAL_UI_PORT'] as const)),
  ];
  const claimed = new Map<number, PortName>();
  for (const variable of Object.keys(uses) as PortName[]) {
    if (notOurs.includes(variable)) continue;
    const wanted = ports[variable];
    let port = await claimPort({ port: wanted, variable, use: uses[variable] });
    while (wanted === 0 && claimed.has(port)) port = await freePort();
    const other = claimed.get(port);
    if (other !== undefined) throw new Error(`${variable} and ${other} are both ${port}: give each its own.`);
    claimed.set(port, variable);
    ports[variable] = port;
  }
  return ports;
}

/** Returns the content of local.json except the demo account. */
export function addressesOf(settings: LocalSettings, ports: Ports) {
  const at = (port: number) => `http://127.0.0.1:${port}`;
  const ownUi = settings.temporalAddress === undefined ? at(ports.TEMPORAL_UI_PORT) : null;
  return {
    api_url: at(ports.API_PORT),
    management_url: at(ports.MANAGEMENT_PORT),
    worker_management_url: at(ports.WORKER_MANAGEMENT_PORT),
    pay_url: at(ports.PAY_PORT),
    simulator_url: at(ports.SIMULATOR_PORT),
    temporal_address: settings.temporalAddress ?? `127.0.0.1:${ports.TEMPORAL_PORT}`,
    temporal_ui_url: settings.temporalUiUrl ?? ownUi,
    callback_url: `${at(ports.SIMULATOR_PORT)}/receiver`,
  };
}

export type Addresses = ReturnType<typeof addressesOf>;
