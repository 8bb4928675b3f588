import { createHash } from 'node:crypto';

/** What a workflow must not be: the bundle test shows with it that it would notice. */
export async function takesANodeModule(text: string): Promise<string> {
  return createHash('sha256').update(text).digest('hex');
}
