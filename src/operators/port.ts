import type { RequestListener } from 'node:http';
import { markOf } from '../accounts/key-format.ts';
import { defaultLimitsOf } from '../accounts/limits.ts';
import type { SettingsDeps } from '../callbacks/settings.ts';
import { checkConnections } from '../channels/kit/check.ts';
import type { Channels } from '../channels/kit/registry.ts';
import type { Gate } from '../channels/traffic/gate.ts';
import type { Config } from '../config/config.ts';
import type { Transaction } from '../domain/transaction.ts';
import type { Database } from '../platform/db/pool.ts';
import { createClientAddress, createTlsCheck } from '../platform/http/client-address.ts';
import { createRateLimits } from '../platform/http/rate-limits.ts';
import type { CodecEndpoint } from '../platform/process/codec-endpoint.ts';
import type { Log } from '../platform/process/log.ts';
import { createManagementApp, splitByPath } from '../platform/process/management.ts';
import type { Metrics } from '../platform/process/metrics.ts';
import { createUploads } from '../platform/process/uploads.ts';
import { accountsInUse } from '../reconciliation/explain.ts';
import { noteSignalled } from '../transactions/rows/bill-receipts.ts';
import { withItsNumber } from '../transactions/rows/number-store.ts';
import { getTransaction } from '../transactions/rows/store.ts';
import { createActions } from './actions/action-table.ts';
import { createProposals } from './actions/proposals.ts';
import { createOperatorApp, OPERATOR_PREFIX } from './api/app.ts';
import type { Deps } from './api/call.ts';
import { createFigureReads } from './api/figure-reads.ts';
import { createLedgerReads } from './api/ledger-reads.ts';
import type { Guards } from './api/serve.ts';
import { createDesk } from './desk/app.ts';
import { DESK } from './desk/layout.ts';
import type { DeskGuards } from './desk/serve-page.ts';
import { createOperators } from './people/operators.ts';
import { createSessions } from './people/sessions.ts';

/** Each call is best effort: the sweep repeats what Temporal does not accept. */
type Flows = {
  signal(transactionId: string, news: 'stored' | 'hint'): Promise<unknown>;
  begin(transaction: Transaction): Promise<unknown>;
  beginPayment(transaction: Transaction, payment: object): Promise<boolean>;
  deliver: Deps['deliver'];
  submit: Deps['submit'];
};

type Parts = {
  database: Database;
  /** for long reads of the whole ledger, which must not block other requests */
  longDatabase: Database;
  flows: Flows;
  channels: Pick<
    Channels,
    'routeOf' | 'connections' | 'connectionsOf' | 'statementAccounts' | 'statementSources'
  >;
  gate: Pick<Gate, 'states'>;
  keys: Deps['keys'];
  callbacks: SettingsDeps;
  workflowUrl: Deps['workflowUrl'];
  codec: CodecEndpoint['codec'] | undefined;
  isReady: () => Promise<boolean>;
  /** called for each wrong token */
  observeFailure: () => void;
  log: Log;
  metrics: Metrics;
};

export function managementPort(config: Config, parts: Parts): RequestListener {
  const { CODEC_UI_ORIGINS: origins, CODEC_TOKEN: token = null } = config;
  const management = createManagementApp({
    ...parts,
    codec: parts.codec && origins ? { codec: parts.codec, origins, token } : null,
    home: DESK,
  });
  const proxies = config.MANAGEMENT_TRUSTED_PROXIES;
  const { log, metrics, observeFailure } = parts;
  const people = operatorsSide({
    deps: depsOf(config, parts),
    // The merchants' port has other proxies: do not trust them here.
    addressOf: createClientAddress(proxies),
    isTls: createTlsCheck(proxies),
    needsTls: config.MALIPO_ENV === 'production',
    log,
    metrics,
    docsOrigin: config.PUBLIC_URL,
    observeFailure,
  });
  return people(management.callback());
}

/** Nobody types a token: more wrong ones than this are guesses. */
const FAILURES_PER_MINUTE = 30;

/** The API and the desk count wrong tokens together. `others` answers all other paths. */
export function operatorsSide(options: {
  deps: Deps;
  addressOf: Guards['addressOf'];
  isTls: DeskGuards['isTls'];
  needsTls: boolean;
  log: Log;
  metrics: Metrics;
  docsOrigin: string;
  observeFailure?: () => void;
}): (others: RequestListener) => RequestListener {
  const { countFailure } = createRateLimits({
    ...options,
    perKey: null,
    failuresPerMinute: FAILURES_PER_MINUTE,
    shared: null,
  });
  const guards = { ...options, countFailure, uploads: createUploads() };
  const api = createOperatorApp(guards).callback();
  const desk = createDesk(guards).callback();
  return (others) => splitByPath(OPERATOR_PREFIX, api, splitByPath(DESK, desk, others));
}

function depsOf(config: Config, parts: Parts): Deps {
  const { database, longDatabase, flows, channels, gate, keys, callbacks, workflowUrl } = parts;
  const hashSecrets = config.KEY_HASH_SECRET;
  const liveRouteOf: Deps['liveRouteOf'] = channels.routeOf;
  const actions = createActions({
    liveRouteOf,
    payoutRouteOf: (channel) => channels.routeOf(channel, 'payout'),
    timing: config.GATEWAY_TIMING,
    hashSecrets,
    environment: config.MALIPO_ENV === 'development' ? 'test' : 'live',
    callbacks,
    statementAccounts: channels.statementAccounts,
  });
  return {
    database,
    longDatabase,
    keys,
    newAccountLimits: defaultLimitsOf(config),
    operators: createOperators({ database, hashSecrets }),
    sessions: createSessions({ database, hashSecrets }),
    proposals: createProposals({ database, actions, fourEyes: config.FOUR_EYES }),
    wake: async (transactionId) => void (await flows.signal(transactionId, 'stored')),
    begin: async (transactionId) => {
      const transaction = await getTransaction(database, transactionId);
      if (transaction) await flows.begin(transaction);
    },
    tellPaid: async ({ transactionId, payment }) => {
      const transaction = await getTransaction(database, transactionId);
      if (!transaction) return;
      const proof = await withItsNumber(database, transaction, payment);
      if (await flows.beginPayment(transaction, proof)) await noteSignalled(database, payment);
    },
    hint: async (transactionId) => void (await flows.signal(transactionId, 'hint')),
    workflowUrl,
    deliver: flows.deliver,
    submit: (submission) => flows.submit(submission),
    liveRouteOf,
    timing: config.GATEWAY_TIMING,
    ledger: createLedgerReads(longDatabase),
    figures: createFigureReads({ database: longDatabase, accounts: channels.statementAccounts }),
    markOf: (number) => markOf(hashSecrets, number),
    channelStates: gate.states,
    statementAccounts: channels.statementAccounts,
    statementSources: channels.statementSources,
    checkConnections: () => checkConnections(channels),
    imports: { accounts: accountsInUse(channels), keys: config.ENCRYPTION_KEY },
  };
}
