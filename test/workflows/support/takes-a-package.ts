import { z } from 'zod';

/** What a workflow must not be: the bundle test shows with it that it would notice. */
export async function takesAPackage(text: string): Promise<string> {
  return z.string().parse(text);
}
