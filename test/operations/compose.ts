import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

export type ComposeService = {
  image: string;
  build?: string;
  command?: string[];
  env_file?: string;
  environment?: Record<string, string | number>;
  ports?: string[];
  volumes?: string[];
  depends_on?: Record<string, { condition: string }>;
  healthcheck?: { test: string[] };
  deploy?: { replicas: number };
  profiles?: string[];
  stop_grace_period?: string;
  read_only?: boolean;
  cap_drop?: string[];
  security_opt?: string[];
};

export type ComposeFile = { services: Record<string, ComposeService>; volumes: Record<string, unknown> };

const file = fileURLToPath(new URL('../../docker-compose.yml', import.meta.url));

export const composeText = () => readFile(file, 'utf8');

/** The file with its anchors merged, as Compose reads it. */
export async function readCompose(): Promise<ComposeFile> {
  return parse(await composeText(), { merge: true });
}

/** `NAME=value` lines, as an env_file has them. */
export function parseEnvFile(text: string): Record<string, string> {
  const lines = text.split('\n').filter((line) => /^\w+=/.test(line));
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
}

/** `${NAME:?words}` as Compose fills it in. Throws where NAME is not set. */
function interpolate(text: string, env: Record<string, string>): string {
  return text.replace(/\$\{(\w+):\?([^}]*)\}/g, (_, name: string, words: string) => {
    const value = env[name];
    if (!value) throw new Error(`${name}: ${words}`);
    return value;
  });
}

/** What a service's container sees: its env_file, then its environment, which wins. */
export function environmentOf(service: ComposeService, env: Record<string, string>): Record<string, string> {
  const own = Object.entries(service.environment ?? {}).map(([name, value]) => [
    name,
    interpolate(String(value), env),
  ]);
  return { ...(service.env_file ? env : {}), ...Object.fromEntries(own) };
}
