import type { Command } from 'commander';

/** `malipo --help` lists every first word with one line, in these groups. */
const groups: Record<string, Record<string, string>> = {
  'Every day:': {
    find: 'where the money of a payment is: by phone, receipt, reference, order, id or name',
    payments: 'payments of all merchants, by day, amount, network or state',
    counts: 'how many payments there were, and where a person is needed',
    attention: 'entries for which a person is needed',
    proposals: 'actions that another operator has to approve',
    're-enquire': 'ask the network now for the outcome of a pending payment',
  },
  'Merchants:': {
    accounts: 'merchants and their balances',
    keys: 'API keys of merchants',
    limits: 'how much a merchant or a key may pay out',
    fees: 'the fees of merchants',
    settlement: "the rule by which a merchant's balance is paid to its own account",
    callbacks: 'set callback URLs, and send callbacks again',
  },
  'Money and books:': {
    suspense: 'money that belongs to no payment',
    returns: 'money on its way back to payers',
    float: 'our money at networks and banks, and when it runs out',
    statements: 'import a statement of a network or bank, or void it',
    lines: 'lines that do not match between statements and our books',
    days: 'per account and day: does the statement equal our books?',
    ledger: 'show the balances, and check the books',
    extracts: 'files for auditors and the central bank',
  },
  'The service:': {
    channels: 'connections to networks: check, close, open, test',
    operators: 'people who run the service, their roles and tokens',
    audit: 'who did what, and verify this log',
    privacy: 'erase names and numbers of people',
  },
  'Installation:': {
    migrate: 'bring the database up to date',
    temporal: 'check and prepare the Temporal namespace',
    deploy: 'which version of the workers gets new payments',
    secrets: 'show which secrets are in use, and replace one',
    recover: 'after a restore: bring back from Temporal what Postgres lost',
    fence: 'after a restore, payments stay stopped until recover has run',
  },
};

const order = Object.values(groups).flatMap((words) => Object.keys(words));

export function showGroups(program: Command): void {
  for (const command of program.commands) {
    const [heading, lines] = Object.entries(groups).find(([, words]) => command.name() in words) ?? [];
    if (heading === undefined) throw new Error(`${command.name()} is in no group of the help`);
    command.helpGroup(heading).summary(lines?.[command.name()] ?? '');
  }
  const placeOf = (command: Command) => order.indexOf(command.name());
  // Help shows groups in the order of their first command.
  (program.commands as Command[]).sort((one, other) => placeOf(one) - placeOf(other));
  program.helpCommand(false);
}
