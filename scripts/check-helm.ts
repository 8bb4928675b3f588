import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { cacheFolder, findOnPath } from '../sandbox/local/tools/cache.ts';
import { goInstall } from '../sandbox/local/tools/go-install.ts';

/**
 * Checks the Helm chart: `helm lint --strict`; what it renders from the example and from the least that it needs fits
 * Kubernetes' own schemas (kubernetes-validate) and names no variable that no process reads; what must be refused is.
 * helm is taken from PATH, or built with Go into the cache folder. Without one of the tools it says loudly what was not
 * checked, and fails where CI is set.
 */
const HELM = 'helm.sh/helm/v3/cmd/helm@v3.19.2';
const VALIDATE = 'kubernetes-validate==1.37.0';
const KUBERNETES = '1.34.0';
const BUILD_LIMIT_MS = 30 * 60_000;
const ON = ['--namespace', 'malipo', '--kube-version', KUBERNETES];
const here = (name: string) => fileURLToPath(new URL(`../${name}`, import.meta.url));
const chart = here('deploy/helm/malipo');
const example = here('deploy/helm/example.yaml');

const least = [
  'image.tag=0.2.0',
  'environment.TEMPORAL_ADDRESS=temporal:7233',
  'environment.PUBLIC_URL=https://pay.example.com',
  'channelsConfigMap=channels',
].flatMap((value) => ['--set', value]);
const changed = (why: string, says: RegExp, value: string) => ({
  why,
  says,
  args: ['--values', example, '--set', value],
});
const refused = [
  changed('without a version', /image.*tag/, 'image.tag='),
  changed('a secret among the variables', /ENCRYPTION_KEY/, 'environment.ENCRYPTION_KEY=x'),
  changed('a door that is not https', /PUBLIC_URL/, 'environment.PUBLIC_URL=http://a'),
  changed('an ingress without TLS', /keys of merchants never travel in plain/, 'api.ingress.tlsSecret='),
  changed(
    'pages to pay on without TLS',
    /numbers of phones never travel in plain/,
    'api.payIngress.tlsSecret=',
  ),
  changed('pages to pay on that are not https', /PAY_URL/, 'environment.PAY_URL=http://a'),
  changed(
    'a desk without TLS',
    /tokens of operators never travel in plain/,
    'api.deskIngress.enabled=true,api.deskIngress.host=desk.example.com',
  ),
  changed('a misspelled value', /replica/, 'worker.replica=3'),
  {
    why: 'no channels',
    says: /channels: the channels file/,
    args: least.map((value) => value.replace('channelsConfigMap=channels', 'buildId=a')),
  },
];

process.exitCode = await main();

async function main(): Promise<number> {
  const helm = await findHelm().catch((error: Error) => missing('the Helm chart', error));
  if (helm === null) return process.env.CI ? 1 : 0;
  const problems = [...lint(helm), ...refused.flatMap((wrong) => notRefused(helm, wrong))];
  const validator = findValidator();
  if (validator === null && process.env.CI) problems.push('what it renders was not validated');
  for (const [name, args] of [
    ['the example', ['--values', example]],
    ['the least that it needs', least],
  ] as const) {
    const rendered = render(helm, [...args]);
    if (rendered.status !== 0) problems.push(`${name}: ${rendered.stderr}`);
    problems.push(
      ...unknownVariables(rendered.stdout).map((variable) => `${name}: nothing reads ${variable}`),
    );
    if (validator !== null)
      problems.push(...invalid(validator, rendered.stdout).map((line) => `${name}: ${line}`));
  }
  for (const problem of problems) console.error(`deploy/helm: ${problem}`);
  if (problems.length === 0) console.log('The Helm chart is right.');
  return problems.length === 0 ? 0 : 1;
}

function notRefused(helm: string, { why, says, args }: (typeof refused)[number]): string[] {
  const { status, stderr } = render(helm, args);
  if (status === 0) return [`it takes ${why}`];
  return says.test(stderr) ? [] : [`it refuses ${why}, but says: ${stderr}`];
}

function lint(helm: string): string[] {
  const { status, stdout, stderr } = spawnSync(
    helm,
    ['lint', '--strict', chart, '--kube-version', KUBERNETES, '--values', example],
    { encoding: 'utf8' },
  );
  return status === 0 ? [] : [`helm lint: ${stdout}${stderr}`];
}

function render(helm: string, args: string[]) {
  return spawnSync(helm, ['template', 'malipo', chart, ...ON, ...args], { encoding: 'utf8' });
}

/** Each object by itself, so that a wrong one is named. */
function invalid(validator: string, rendered: string): string[] {
  const { status, stdout, stderr } = spawnSync(
    validator,
    ['--kubernetes-version', KUBERNETES, '--strict', '-'],
    { input: rendered, encoding: 'utf8' },
  );
  return status === 0 ? [] : `${stdout}${stderr}`.split('\n').filter((line) => !line.startsWith('INFO'));
}

/** The names that a process's environment gets and that .env.example does not have. */
function unknownVariables(rendered: string): string[] {
  const documented = readFileSync(here('.env.example'), 'utf8').split('\n');
  const names = [...rendered.matchAll(/\{ name: ([A-Z][A-Z0-9_]+), value:/g)].map(([, name = '']) => name);
  if (names.length === 0) return ['(no variable was found: has the form of the templates changed?)'];
  return [...new Set(names)].filter((name) => !documented.some((line) => line.startsWith(`${name}=`)));
}

async function findHelm(): Promise<string> {
  const cached = path.join(cacheFolder(), 'bin', 'helm');
  const present = (await findOnPath('helm')) ?? (existsSync(cached) ? cached : undefined);
  if (present !== undefined) return present;
  mkdirSync(path.dirname(cached), { recursive: true });
  const progress = (message: string) => console.log(`helm: ${message}`);
  progress('not on this machine; building it with Go, about 4 minutes on 2 cores, only this once');
  await goInstall(HELM, cached, { progress, limitMs: BUILD_LIMIT_MS });
  return cached;
}

function findValidator(): string | null {
  const folder = path.join(cacheFolder(), VALIDATE.replace('==', '-'));
  const program = path.join(folder, 'bin', 'kubernetes-validate');
  if (existsSync(path.join(folder, 'complete'))) return program;
  try {
    execFileSync('python3', ['-m', 'venv', '--clear', folder]);
    const pip = path.join(folder, 'bin', 'pip');
    execFileSync(pip, ['install', '--quiet', '--disable-pip-version-check', VALIDATE]);
    writeFileSync(path.join(folder, 'complete'), '');
    return program;
  } catch (error) {
    return missing('what the Helm chart renders', error as Error);
  }
}

function missing(what: string, error: Error): null {
  console.error(`\n  NOT CHECKED: ${what} (${error.message.split('\n')[0]})\n`);
  return null;
}
