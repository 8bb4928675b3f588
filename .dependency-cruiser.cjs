/** Who may import whom (docs/architecture.md). A room is a folder below src/; it may import the rooms of lower floors only. */
const floors = [
  ['app', 'api'],
  ['workflows'],
  ['operators', 'activities'],
  ['reconciliation', 'batches', 'settlements'],
  ['transactions'],
  ['accounts'],
  ['channels', 'ledger', 'callbacks'],
  ['platform'],
  ['contract', 'config'],
  ['domain'],
  ['base'],
];

/** Which packages a room may import; 'node' is all of Node's modules. */
const packages = {
  app: 'node commander @temporalio/client @temporalio/common @temporalio/worker',
  api: 'node zod koa @types/koa @temporalio/client @temporalio/common marked uuid csv-parse swagger-ui-dist',
  workflows: '@temporalio/workflow @temporalio/common',
  operators: 'node zod koa @types/koa commander',
  activities: 'node @temporalio/activity @temporalio/common',
  reconciliation: 'node zod csv-parse',
  batches: 'node',
  settlements: 'node',
  transactions: 'node uuid qrcode @types/qrcode',
  accounts: 'node',
  channels: 'node zod undici fast-xml-parser jsonc-parser',
  ledger: 'node',
  callbacks: 'node undici ipaddr.js',
  'platform/db': 'node pg @types/pg',
  'platform/http': 'node zod koa @types/koa @koa/router jsonc-parser rate-limiter-flexible ipaddr.js',
  'platform/process': 'node zod koa @types/koa pino prom-client @temporalio/common',
  'platform/temporal': 'node @temporalio/activity @temporalio/client @temporalio/common @temporalio/worker',
  'platform/trace': 'node @opentelemetry/.*',
  contract: 'zod',
  config: 'node zod',
  domain: '',
  'domain/data': 'zod',
  base: '',
};
/** As dependency-cruiser names Node's modules, with the prefix and without. */
const node = `^(node:.*|${require('node:module').builtinModules.join('|')})$`;
const packagesOf = (names) =>
  names
    .split(' ')
    .filter((name) => name !== '')
    .map((name) => (name === 'node' ? node : `node_modules/${name}/`));

/** Inside a folder: each room with the rooms below it that it may import. */
const inside = (folder, below) =>
  Object.entries(below).map(([room, others]) => ({
    name: `${folder}-${room}`,
    severity: 'error',
    from: { path: `^${folder}/${room}/` },
    to: { path: `^${folder}/[^/]+/`, pathNot: [room, ...others].map((name) => `^${folder}/${name}/`) },
  }));
const never = (name, from, to, comment) => ({ name, severity: 'error', comment, from, to });
/** Seven imports still run up; the next commits cut them. */
const uncut = '^src/(workflows/messages|batches/accept-item|settlements/accept-settlement).ts';
const code = '^(src|sandbox)/';
const notTypes = { dependencyTypesNot: ['type-only'] };

module.exports = {
  forbidden: [
    never('no-circular', {}, { circular: true }),
    never('not-in-package-json', {}, { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] }),
    ...floors.flatMap((rooms, floor) =>
      rooms.map((room) =>
        never(
          `${room}-imports-lower-floors-only`,
          { path: `^src/${room}/` },
          {
            path: code,
            pathNot: [room, ...floors.slice(floor + 1).flat()].map((name) => `^src/${name}/`).concat(uncut),
          },
        ),
      ),
    ),
    ...Object.entries(packages).map(([room, names]) =>
      never(
        `${room}-packages`,
        { path: `^src/${room}/`, ...(room === 'domain' && { pathNot: '^src/domain/data/' }) },
        { pathNot: [code, '^data/', ...packagesOf(names)] },
      ),
    ),
    never('only-domain-data-reads-data', { path: '^src/', pathNot: '^src/domain/data/' }, { path: '^data/' }),
    never(
      'every-room-has-a-floor',
      { path: '^src/.+/', pathNot: floors.flat().map((room) => `^src/${room}/`) },
      {},
    ),

    never(
      'workflows-take-only-types-of-activities',
      { path: '^src/workflows/' },
      { path: '^src/activities/', ...notTypes },
    ),
    never(
      'workflows-know-words-and-rules-only',
      { path: '^src/workflows/' },
      { path: code, pathNot: '^src/(workflows|activities|domain|base)/' },
    ),
    never(
      'app-takes-only-types-of-activities',
      { path: '^src/app/' },
      { path: '^src/activities/', ...notTypes },
    ),
    never(
      'only-messages-and-starts-of-workflows',
      { path: '^src/(app|api)/' },
      { path: '^src/workflows/', pathNot: '^src/workflows/(messages|start-flow).ts', ...notTypes },
    ),
    never(
      'config-is-read-by-entry-files-only',
      { path: '^src/.+/', pathNot: '^src/config/' },
      { path: '^src/config/', ...notTypes },
    ),

    never(
      'a-protocol-knows-no-other',
      { path: '^src/channels/([^/]+)/' },
      { path: '^src/channels/', pathNot: '^src/channels/($1|kit)/' },
    ),
    never(
      'a-channel-knows-no-store',
      { path: '^src/channels/', pathNot: '^src/channels/traffic/' },
      { path: '^src/platform/', pathNot: '^src/platform/trace/span.ts' },
    ),
    ...inside('src/platform', {
      db: [],
      process: [],
      trace: [],
      http: ['db', 'process', 'trace'],
      temporal: ['process', 'trace'],
    }),
    ...inside('src/transactions', {
      rows: [],
      care: [],
      'odd-money': ['rows', 'care'],
      acceptance: ['rows', 'care', 'odd-money'],
      channel: ['rows', 'care', 'odd-money'],
      ending: ['rows', 'care', 'odd-money', 'acceptance', 'channel'],
      rescue: ['rows', 'odd-money', 'acceptance'],
    }),
    ...inside('src/operators', { people: [], search: [], actions: ['people', 'search'] }),
    ...inside('src/api', { kit: [], reference: ['kit'], payments: ['kit', 'reference'], doors: ['kit'] }),

    // The rails that are ours on both sides: plain JSON, GSMA's and ISO 20022's messages. A network's own wire code,
    // shared, would let channel and simulator be wrong together.
    never(
      'a-simulated-network-writes-its-own-wire',
      { path: '^sandbox/simulator' },
      {
        path: code,
        pathNot: [
          '^sandbox/simulator',
          '^src/(domain|base)/',
          '^src/channels/(bill-json|gsma|iso20022)/(bill-)?wire.ts',
          '^src/channels/kit/signature.ts',
        ],
      },
    ),
    ...inside('sandbox/simulator', { core: [], bills: ['core'], statements: ['core'], people: ['core'] }),
    never(
      'simulated-protocols-do-not-know-each-other',
      { path: '^sandbox/simulator/([^/]+)/' },
      { path: '^sandbox/simulator/[^/]+/', pathNot: '^sandbox/simulator/($1|core|bills)/' },
    ),
    never(
      'nobody-takes-the-sandbox-along',
      { path: '^src/' },
      { path: '^sandbox/', pathNot: '^sandbox/local/attach.ts' },
      'but that commands find the `npm start` of their folder',
    ),
  ],
  options: {
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^dist' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
      mainFields: ['module', 'main', 'types', 'typings'],
    },
  },
};
