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
  api: 'node zod koa @types/koa @temporalio/client @temporalio/common marked minisearch uuid',
  workflows: '@temporalio/workflow @temporalio/common',
  operators: 'node zod koa @types/koa commander',
  activities: 'node @temporalio/activity @temporalio/common',
  reconciliation: 'node zod',
  batches: 'node',
  settlements: 'node',
  transactions: 'node uuid qrcode @types/qrcode',
  accounts: 'node',
  channels: 'node zod undici jsonc-parser',
  ledger: 'node',
  callbacks: 'node undici ipaddr.js',
  'platform/db': 'node pg @types/pg',
  'platform/http': 'node zod koa @types/koa @koa/router jsonc-parser rate-limiter-flexible ipaddr.js',
  'platform/process': 'node zod koa @types/koa pino prom-client @temporalio/common',
  'platform/tables': 'node',
  'platform/temporal': 'node @temporalio/activity @temporalio/client @temporalio/common @temporalio/worker',
  'platform/trace': 'node @opentelemetry/.*',
  contract: 'zod',
  config: 'node zod',
  domain: '',
  'domain/data': 'zod',
  base: 'saxes',
};
/** As dependency-cruiser names Node's modules, with the prefix and without. */
const node = `^(node:.*|${require('node:module').builtinModules.join('|')})$`;
const packagesOf = (names) =>
  (names.match(/\S+/g) ?? []).map((name) => (name === 'node' ? node : `node_modules/${name}/`));

/** A forbidden import: from a file at the first path, but not at the second, to one at the others. */
const never = (name, [path, pathNot], [to, toNot], more) => ({
  name,
  severity: 'error',
  from: { path, ...(pathNot && { pathNot }) },
  to: { path: to, ...(toNot && { pathNot: toNot }), ...more },
});
/** Inside a folder: each room with the rooms below it that it may import. */
const inside = (folder, below) =>
  Object.entries(below).map(([room, others]) =>
    never(`${folder}-${room}`, [`^${folder}/${room}/`], [`^${folder}/[^/]+/`, at(folder, [room, ...others])]),
  );
const at = (folder, rooms) => rooms.map((room) => `^${folder}/${room}/`);
const code = '^(src|sandbox)/';
const pure = at('src', ['workflows', 'activities', 'domain', 'base']);
const shared = ['^src/channels/(bill-json|gsma|iso20022)/(bill-)?wire.ts', '^src/channels/kit/signature.ts'];
const notTypes = { dependencyTypesNot: ['type-only'] };

module.exports = {
  forbidden: [
    never('no-circular', ['.'], ['.'], { circular: true }),
    never('not-in-package-json', ['.'], ['.'], { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] }),
    never('every-room-has-a-floor', ['^src/.+/', at('src', floors.flat())], ['.']),
    ...floors.flatMap((rooms, floor) =>
      rooms.map((room) => {
        const below = at('src', [room, ...floors.slice(floor + 1).flat()]);
        return never(`${room}-imports-lower-floors-only`, [`^src/${room}/`], [code, below]);
      }),
    ),
    ...Object.entries(packages).map(([room, names]) => {
      const from = [`^src/${room}/`, room === 'domain' ? '^src/domain/data/' : undefined];
      return never(`${room}-packages`, from, ['.', [code, '^data/', ...packagesOf(names)]]);
    }),
    never('only-domain-data-reads-data', ['^src/', '^src/domain/data/'], ['^data/']),

    never('workflows-take-only-types-of-activities', ['^src/workflows/'], ['^src/activities/'], notTypes),
    never('workflows-know-words-and-rules-only', ['^src/workflows/'], [code, pure]),
    never('app-takes-only-types-of-activities', ['^src/app/'], ['^src/activities/'], notTypes),
    never(
      'only-messages-and-starts-of-workflows',
      ['^src/(app|api)/'],
      ['^src/workflows/', '^src/workflows/(messages|start-flow).ts'],
      notTypes,
    ),
    never('config-is-read-by-entry-files-only', ['^src/.+/', '^src/config/'], ['^src/config/'], notTypes),

    never(
      'a-protocol-knows-no-other',
      ['^src/channels/([^/]+)/'],
      ['^src/channels/', '^src/channels/($1|kit)/'],
    ),
    never(
      'a-channel-knows-no-store',
      ['^src/channels/', '^src/channels/traffic/'],
      ['^src/platform/', '^src/platform/trace/span.ts'],
    ),
    ...inside('src/platform', {
      db: [],
      process: [],
      trace: [],
      tables: [],
      http: ['db', 'process', 'tables', 'trace'],
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
      ['^sandbox/simulator'],
      [code, ['^sandbox/simulator', '^src/(domain|base)/', ...shared]],
    ),
    ...inside('sandbox/simulator', { core: [], bills: ['core'], statements: ['core'], people: ['core'] }),
    never(
      'simulated-protocols-do-not-know-each-other',
      ['^sandbox/simulator/([^/]+)/'],
      ['^sandbox/simulator/[^/]+/', '^sandbox/simulator/($1|core|bills)/'],
    ),
    // But that commands find the `npm start` of their folder.
    never(
      'nobody-takes-the-sandbox-along',
      ['^src/'],
      ['^sandbox/', '^sandbox/local/(attach|operators-of-local).ts'],
    ),
  ],
  options: {
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^dist' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
  },
};
