import type { Context, Next } from 'koa';

type Words = (path: string) => object;

/** Clients expect JSON for an unknown call and crash on text. */
const words: readonly (readonly [prefix: RegExp, Words])[] = [
  [/^\/(sandbox|openapi)\/ipg\//, () => ({ output_error: 'Resource not found' })],
  [/^\/v1\//, () => ({ reference: null, resultcode: '404', result: 'FAIL', message: 'Not found', data: [] })],
  [/^\/third-parties\//, (path) => ({ statusCode: 404, message: `Cannot find ${path}`, error: 'Not Found' })],
  [
    /^\/(auth|merchant|standard|openapi)\//,
    () => ({ status_code: '404', status_message: 'Resource not found' }),
  ],
  [
    /^\/(transactions|requeststates|responses|accounts|batchtransactions)\b/,
    () => ({
      errorCategory: 'validation',
      errorCode: 'formatError',
      errordescription: 'This call is not supported',
    }),
  ],
];

export async function refuseLacking(context: Context, next: Next): Promise<void> {
  await next();
  if (context.body !== undefined || ![404, 405, 501].includes(context.status)) return;
  const own = words.find(([prefix]) => prefix.test(context.path))?.[1];
  if (!own) return;
  const { status } = context;
  context.body = own(context.path);
  context.status = status;
}
