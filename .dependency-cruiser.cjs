/** Who may import whom (docs/architecture.md). A folder not named in `to` is forbidden. */
const packages = (...names) => names.map((name) => `node_modules/${name}/`);
const allow = (from, folders, extra = []) => ({
  name: `${from}-imports`,
  severity: 'error',
  comment: `src/${from} may import only: ${[...folders, ...extra].join(', ')}`,
  from: { path: `^src/${from}/` },
  to: { pathNot: [...folders.map((f) => `^src/${f}`), ...extra] },
});
const node = [
  '^node:',
  '^(assert|buffer|crypto|events|fs|http|https|net|path|stream|url|util|zlib|dns|os|child_process|timers|module|perf_hooks|async_hooks)(/|$)',
];

module.exports = {
  forbidden: [
    {
      name: 'no-circular',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'not-in-package-json',
      severity: 'error',
      from: {},
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
    },
    allow('domain', ['domain/'], ['^data/']),
    allow(
      'workflows',
      ['workflows/', 'domain/', 'activities/'],
      packages('@temporalio/workflow', '@temporalio/common'),
    ),
    {
      name: 'workflows-take-only-types-of-activities',
      severity: 'error',
      from: { path: '^src/workflows/' },
      to: { path: '^src/activities/', dependencyTypesNot: ['type-only'] },
    },
    allow('ledger', ['ledger/', 'domain/', 'db/'], node),
    allow('accounts', ['accounts/', 'domain/', 'db/', 'ledger/accounts.ts'], node),
    allow(
      'transactions',
      ['transactions/', 'domain/', 'db/', 'ledger/', 'callbacks/event.ts'],
      [...node, ...packages('uuid', 'qrcode', '@types/qrcode')],
    ),
    allow('callbacks', ['callbacks/', 'domain/', 'db/'], [...node, ...packages('undici', 'ipaddr.js')]),
    allow(
      'channels',
      ['channels/', 'domain/', 'config.ts'],
      ['^data/', ...node, ...packages('zod', 'undici', 'fast-xml-parser')],
    ),
    {
      name: 'channels-do-not-know-each-other',
      severity: 'error',
      from: { path: '^src/channels/([^/]+)/' },
      to: { path: '^src/channels/[^/]+/', pathNot: '^src/channels/$1/' },
    },
    allow(
      'activities',
      [
        'activities/',
        'domain/',
        'ledger/',
        'transactions/',
        'channels/registry.ts',
        'callbacks/',
        'db/',
        'workflows/messages.ts',
      ],
      [...node, ...packages('@temporalio/activity', '@temporalio/common', '@temporalio/client')],
    ),
    allow(
      'api',
      [
        'api/',
        'domain/',
        'transactions/',
        'ledger/',
        'accounts/',
        'callbacks/',
        'channels/registry.ts',
        'db/',
        'workflows/',
        'config.ts',
      ],
      [
        ...node,
        ...packages(
          'zod',
          'koa',
          '@types/koa',
          '@koa/router',
          '@temporalio/client',
          '@temporalio/common',
          'jsonc-parser',
          'pino',
          'prom-client',
          'rate-limiter-flexible',
          'ipaddr.js',
          'uuid',
        ),
      ],
    ),
    {
      name: 'api-takes-only-messages-of-workflows',
      severity: 'error',
      from: { path: '^src/api/' },
      to: {
        path: '^src/workflows/',
        pathNot: '^src/workflows/messages.ts',
        dependencyTypesNot: ['type-only'],
      },
    },
    allow(
      'simulator',
      ['simulator/', 'domain/', 'channels/[^/]+/wire.ts'],
      [...node, ...packages('koa', '@types/koa', '@koa/router', 'fast-xml-parser', 'zod', 'undici', 'uuid')],
    ),
    allow(
      'temporal',
      ['temporal/', 'domain/', 'workflows/messages.ts', 'activities/', 'config.ts'],
      [...node, ...packages('@temporalio/client', '@temporalio/common', '@temporalio/worker')],
    ),
    {
      name: 'temporal-takes-only-types-of-activities',
      severity: 'error',
      from: { path: '^src/temporal/' },
      to: { path: '^src/activities/', dependencyTypesNot: ['type-only'] },
    },
    allow(
      'cli',
      [
        'cli/',
        'domain/',
        'db/',
        'ledger/',
        'transactions/',
        'accounts/',
        'callbacks/',
        'temporal/',
        'workflows/messages.ts',
        'activities/sweep.ts',
        'config.ts',
      ],
      [...node, ...packages('commander', '@temporalio/client')],
    ),
    allow(
      'local',
      ['local/', 'domain/', 'db/', 'ledger/', 'accounts/', 'callbacks/', 'temporal/', 'config.ts'],
      [...node, ...packages('zod', '@temporalio/worker', '@temporalio/testing')],
    ),
    allow('db', ['db/', 'domain/'], [...node, ...packages('pg', '@types/pg')]),
    {
      name: 'config-is-read-by-entry-files-only',
      severity: 'error',
      from: { path: '^src/.+/', pathNot: '^src/local/' },
      to: { path: '^src/config.ts$', dependencyTypesNot: ['type-only'] },
    },
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
