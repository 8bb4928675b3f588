import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import ts from 'typescript';

const FOLDER = fileURLToPath(new URL('../../clients/typescript/', import.meta.url));

/** The client for Node as npm takes it (`package/…` in a tar, compressed): the same bytes from the same sources. */
export function clientPackage(schema: Readonly<Record<string, string>>): Buffer {
  const own = (name: string) => readFileSync(path.join(FOLDER, name), 'utf8');
  const { scripts: _, ...manifest } = JSON.parse(own('package.json'));
  const files: Record<string, string> = {
    'package.json': `${JSON.stringify(manifest, null, 2)}\n`,
    LICENSE: own('LICENSE'),
    'README.md': own('README.md'),
    ...compiled(schema),
  };
  const entries = Object.keys(files).sort();
  const blocks = entries.flatMap((name) => entryOf(`package/${name}`, files[name] ?? ''));
  return gzipSync(Buffer.concat([...blocks, Buffer.alloc(1_024)]), { level: 9 });
}

/** `generated`: sources that may be newer than those on the disk, by their path from the root. */
function compiled(generated: Readonly<Record<string, string>>): Record<string, string> {
  const config = ts.getParsedCommandLineOfConfigFile(path.join(FOLDER, 'tsconfig.json'), {}, {
    ...ts.sys,
    onUnRecoverableConfigFileDiagnostic: () => {},
  } as ts.ParseConfigFileHost);
  if (!config) throw new Error('clients/typescript/tsconfig.json cannot be read');
  const { tsBuildInfoFile: _, ...rest } = config.options;
  const options: ts.CompilerOptions = { ...rest, incremental: false };
  const host = ts.createCompilerHost(options);
  const { readFile } = host;
  host.readFile = (file) => generated[`clients/typescript/${path.relative(FOLDER, file)}`] ?? readFile(file);
  const files: Record<string, string> = {};
  ts.createProgram(config.fileNames, options, host).emit(undefined, (file, text) => {
    files[path.relative(FOLDER, file)] = text;
  });
  return files;
}

/** One file of a POSIX tar (ustar), of nobody and no time. */
function entryOf(name: string, text: string): Buffer[] {
  const content = Buffer.from(text);
  const header = Buffer.alloc(512);
  const octal = (value: number, length: number) => `${value.toString(8).padStart(length - 1, '0')}\0`;
  header.write(name, 0);
  header.write(octal(0o755, 8), 100);
  header.write(octal(0, 8), 108);
  header.write(octal(0, 8), 116);
  header.write(octal(content.length, 12), 124);
  header.write(octal(0, 12), 136);
  header.write('        0', 148);
  header.write('ustar\x0000', 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${octal(sum, 7)} `, 148);
  return [header, content, Buffer.alloc((512 - (content.length % 512)) % 512)];
}
