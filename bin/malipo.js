#!/usr/bin/env node
import { existsSync } from 'node:fs';

// A checkout runs its source, which takes a second longer; an image has the built one only.
const source = new URL('../src/cli.ts', import.meta.url);
if (existsSync(source)) {
  const { register } = await import('tsx/esm/api');
  register();
  await import(source.href);
} else await import(new URL('../dist/src/cli.js', import.meta.url).href);
