import { z } from 'zod';
import { countUse } from '../../accounts/uses.ts';
import { disabledReasons } from '../../callbacks/failing.ts';
import { startDeliveries } from '../../callbacks/resend.ts';
import {
  type CallbackSettings,
  getCallbackSettings as loadSettings,
  saveCallbackSettings,
  settingsProblems,
} from '../../callbacks/settings.ts';
import { callbackSettingsAnswer, callbackUrl } from '../../contract/callback-answers.ts';
import type { JsonOf } from '../../contract/json-of.ts';
import { budgets } from '../../domain/data/budgets.ts';
import { callbackEventNames, isOptional } from '../../domain/event.ts';
import { inEnglish, type Message, say } from '../../domain/messages.ts';
import { inTransaction } from '../../platform/db/transaction.ts';
import { acceptFields, readFields } from '../../platform/http/fields.ts';
import { type ApiRequest, callerOf, done } from '../kit/call.ts';
import { call, type Deps } from '../kit/gateway-call.ts';

const EVENTS_MAX = 50;

/** These check only types; the code that stores an address or passphrase checks its content. */
const fields = {
  callback_url: z
    .string()
    .max(2_000)
    .meta({ ...callbackUrl, format: 'uri', example: 'https://shop.example/callbacks' })
    .nullable()
    .optional(),
  passphrase: z
    .string()
    .meta({
      minLength: 24,
      maxLength: 255,
      description: 'At least 24 characters, or whsec_ and at least 24 bytes in base64',
    })
    .nullable()
    .optional(),
  events: z
    .array(z.enum(callbackEventNames))
    .max(EVENTS_MAX)
    .meta({
      description:
        'The events that are sent: all of them at first. ' +
        '`ping` and `callbacks.address_changed` are always sent',
    })
    .optional(),
};

export const getCallbackSettings = call(
  {
    method: 'GET',
    paths: ['callbacks/settings'],
    summary: 'Where callbacks of this API key go',
    purpose:
      'See where callbacks of this key go, which events are sent, and whether we stopped sending. ' +
      'The passphrase itself is never shown.',
    scopes: ['callbacks:write'],
    answer: callbackSettingsAnswer,
  },
  async (request, { database }) => {
    const settings = await loadSettings(database, callerOf(request).keyId);
    return present(say('callback_settings_found'), settings);
  },
);

export const putCallbackSettings = call(
  {
    method: 'PUT',
    paths: ['callbacks/settings'],
    summary: 'Set the URL and the passphrase of callbacks (a missing field stays, null removes)',
    purpose:
      "Set the address that gets this key's callbacks from now on, in place of the one before, " +
      'the passphrase that signs them, and the events that you want. ' +
      'Set it again to start once more after we disabled an address.',
    scopes: ['callbacks:write'],
    body: fields,
    answer: callbackSettingsAnswer,
  },
  async (request, deps) => {
    const { accountId, keyId } = callerOf(request);
    const change = { keyId, by: 'merchant', actor: `api:${keyId}`, ...readChange(request, deps) } as const;
    const { settings, told } = await inTransaction(deps.database, async (db) => {
      const saved = await saveCallbackSettings(db, change, deps.callbackSettings);
      const use = { use: 'changes of settings', budget: budgets['changes of settings'] } as const;
      if (saved.isChanged) await countUse(db, { accountId, ...use, now: deps.now() });
      return saved;
    });
    await startDeliveries(told, deps.flows.deliver);
    return present(say('callback_settings_saved'), settings);
  },
);

/** Reads the raw body, because here a null removes a setting; elsewhere nulls are dropped. */
function readChange(request: ApiRequest, { callbackSettings }: Deps) {
  const given = request.body?.value ?? {};
  // A null list of events counts as absent.
  const { events } = request.known;
  const read = readFields(fields, { ...given, events });
  const { callback_url: callbackUrl, passphrase } = read.values;
  read.problems.push(...settingsProblems({ callbackUrl, passphrase }, callbackSettings.urlPolicy));
  const values = acceptFields(read);
  return {
    callbackUrl: values.callback_url,
    passphrase: values.passphrase,
    events: values.events?.filter(isOptional),
  };
}

function present(message: Message, settings: CallbackSettings): JsonOf<typeof callbackSettingsAnswer> {
  return {
    ...done(message),
    callback_url: settings.callbackUrl,
    passphrase_set: settings.passphraseSet,
    enabled: settings.enabled,
    disabled_reason: settings.disabledReason && inEnglish(disabledReasons[settings.disabledReason]),
    events: settings.subscribedEvents,
    updated_at: settings.updatedAt,
    callback_url_set_by_operator_at: settings.operatorSetUrlAt ?? undefined,
  };
}
