import type { Minor } from '../../../src/domain/money.ts';
import type { Ask } from '../core/wire-log.ts';

export type BillGateway = {
  /** the service's address, without a trailing slash */
  url: string;
  /** the keys are network ids */
  tokens: Record<string, string>;
  /** for networks whose protocol has no bearer token */
  credentials?: Record<string, BillCredentials>;
  timeoutMs?: number;
  /** absent: messages are not logged */
  ask?: Ask;
};
export type BillCredentials = { username: string; password: string };

/** A customer's payment, as a network sends it in every step. */
export type BillCall = {
  network: string;
  protocol: string;
  receipt: string;
  controlNumber: string;
  amount: Minor;
  /** 255XXXXXXXXX */
  party: string;
};

/** `silent`: no answer yet, so the network must ask again. */
export type StepReply = {
  kind: 'yes' | 'no' | 'silent';
  message: string;
  /** the bill's purpose or merchant, if the protocol has it */
  bill?: string;
};
export type BillSteps = {
  lookUp(call: BillCall, signal: AbortSignal): Promise<StepReply>;
  /** GSMA has none: the answer to its payment decides */
  validate(call: BillCall, signal: AbortSignal): Promise<StepReply>;
  notify(call: BillCall, signal: AbortSignal): Promise<StepReply>;
};
