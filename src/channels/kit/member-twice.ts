import { visit } from 'jsonc-parser';

/** Returns the first member that an object has twice, which two parsers may read differently; else null. */
export function memberTwice(body: Buffer): string | null {
  const text = withoutMark(body.toString('utf8'));
  if (!/^\s*[[{]/.test(text)) return null;
  const names: Set<string>[] = [];
  let twice: string | null = null;
  visit(text, {
    onObjectBegin: () => {
      names.push(new Set());
    },
    onObjectEnd: () => {
      names.pop();
    },
    onObjectProperty(name) {
      const own = names.at(-1);
      if (own?.has(name)) twice ??= name.replace(/[^\w.-]/g, '').slice(0, 64);
      own?.add(name);
    },
  });
  return twice;
}

/** Drops a byte order mark, which JSON forbids but some servers send. */
export function withoutMark(text: string): string {
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}
