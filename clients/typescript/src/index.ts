export {
  CallbackError,
  type CallbackEvent,
  type CallbackToRead,
  hasServiceSignature,
  readCallback,
} from './callbacks.ts';
export { createMalipo, type Malipo } from './client.ts';
export { type ErrorCode, MalipoError } from './error.ts';
export { type MadeKey, makeKey } from './keys.ts';
export { isReplayed, type Settings } from './request.ts';
export type { Answer, Input, OperationId, Schemas } from './types.ts';
