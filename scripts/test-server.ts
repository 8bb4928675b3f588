import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { cacheFolder, findOnPath, isExecutable } from '../sandbox/local/tools/cache.ts';
import { downloadWithSdk, type FetchOptions } from '../sandbox/local/tools/download.ts';
import { runTool } from '../sandbox/local/tools/run-tool.ts';

/** The server that skips time exists as a download of the SDK and as a Maven artifact. */
const ARTIFACT_VERSION = '1.35.0';
const MAVEN_LIMIT_MS = 15 * 60_000;

function places() {
  const folder = path.join(cacheFolder(), 'test-server');
  return {
    binary: path.join(cacheFolder(), 'bin', 'temporal-test-server'),
    wrapper: path.join(folder, 'run'),
    jars: path.join(folder, 'lib'),
    folder,
  };
}

/** The program that runs Temporal's time-skipping test server, `<path> <port>`; undefined when it is not there yet. */
export async function findTestServer(): Promise<string | undefined> {
  const { binary, wrapper, jars } = places();
  if (await isExecutable(binary)) return binary;
  if (!(await hasJars(jars))) return undefined;
  if (!(await isExecutable(wrapper))) await writeWrapper();
  return wrapper;
}

/** The same; downloads it where it is missing. Throws one sentence that says how to get one. */
export async function installTestServer(options: FetchOptions): Promise<string> {
  const present = await findTestServer();
  if (present !== undefined) {
    if (present === places().wrapper) await requireJava();
    return present;
  }
  const { binary, wrapper } = places();
  await mkdir(path.dirname(binary), { recursive: true });
  const progress = (message: string) => options.progress(`Test server: ${message}`);
  progress('not on this machine yet, trying to download it');
  if (await downloadWithSdk('time-skipping', binary, { ...options, progress })) return binary;
  await requireJava();
  await fetchWithMaven({ ...options, progress });
  await writeWrapper();
  return wrapper;
}

async function requireJava(): Promise<void> {
  if ((await findOnPath('java')) === undefined)
    throw new Error("Temporal's test server needs Java: install a JDK, 17 or newer.");
}

async function hasJars(folder: string): Promise<boolean> {
  const names = await readdir(folder).catch(() => []);
  return names.some((name) => name.startsWith('temporal-test-server-'));
}

async function fetchWithMaven(options: FetchOptions): Promise<void> {
  const { folder, jars } = places();
  const maven = await findOnPath('mvn');
  if (maven === undefined)
    throw new Error(
      "Temporal's test server could not be downloaded and there is no Maven to fetch it with: install Maven.",
    );
  const partial = `${folder}.partial-${process.pid}`;
  await mkdir(partial, { recursive: true });
  options.progress('no download; fetching it with Maven (about 40 MB, only this once)');
  try {
    await writeFile(path.join(partial, 'pom.xml'), pom());
    await runTool({
      command: maven,
      args: [
        '--batch-mode',
        '--file',
        path.join(partial, 'pom.xml'),
        'dependency:copy-dependencies',
        `-DoutputDirectory=${path.join(partial, 'lib')}`,
      ],
      timeoutMs: MAVEN_LIMIT_MS,
      signal: options.signal,
      onLine: (line) => {
        const copied = /Copying (\S+\.jar)/.exec(line);
        if (copied?.[1]?.startsWith('temporal')) options.progress(`got ${copied[1]}`);
      },
    });
    await mkdir(folder, { recursive: true });
    await rm(jars, { recursive: true, force: true });
    await rename(path.join(partial, 'lib'), jars);
  } catch (error) {
    throw new Error(
      `Temporal's test server could neither be downloaded nor fetched with Maven (${(error as Error).message}).`,
    );
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
}

function pom(): string {
  return `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>local</groupId><artifactId>test-server</artifactId><version>1</version><packaging>pom</packaging>
  <dependencies><dependency>
    <groupId>io.temporal</groupId><artifactId>temporal-test-server</artifactId><version>${ARTIFACT_VERSION}</version>
  </dependency></dependencies>
</project>
`;
}

/** `exec`, or the Java process would outlive the shell that is stopped. */
async function writeWrapper(): Promise<void> {
  const { wrapper } = places();
  await writeFile(
    wrapper,
    `#!/bin/sh
here=$(dirname "$0")
exec java -Xshare:auto -XX:TieredStopAtLevel=1 -Xmx256m -cp "$here/lib/*" io.temporal.testserver.TestServer "$@"
`,
    { mode: 0o755 },
  );
}
