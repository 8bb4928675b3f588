import { withLocalTimes } from '../../domain/day.ts';
import { GatewayError } from '../../domain/errors.ts';
import { STATEMENT_BYTES_MAX } from '../../reconciliation/formats/bytes.ts';
import { readStatement } from '../../reconciliation/formats/read.ts';
import { importStatement } from '../../reconciliation/import.ts';
import { StatementRefused } from '../../reconciliation/statement.ts';
import { type Call, call } from './call.ts';
import { importedStatement } from './schemas.ts';

export const statementFileCalls = {
  importStatement: call(
    {
      method: 'POST',
      paths: ['statements/{id}/files'],
      id: 'The statement account, by its name in the channels file',
      summary:
        'Import a statement file as it was downloaded: check it and match its lines with our bookings, ' +
        'all of it or nothing. The same file again changes nothing',
      roles: ['finance'],
      bytesMax: STATEMENT_BYTES_MAX,
      answer: importedStatement,
      refusals: ['not_found', 'payload_too_large', 'invalid_json', 'conflict'],
    },
    async (_input, { deps, actor, id, file }) => {
      const account = deps.imports.accounts.get(id);
      if (!account) throw new GatewayError('not_found', `The channels file has no statement account ${id}`);
      try {
        const read = await readStatement(account, file?.written ?? Buffer.alloc(0));
        const input = { account, ...read, keys: deps.imports.keys, actor };
        const { hinted, ...imported } = await importStatement(deps.longDatabase, input);
        // Best effort: the next enquiry comes anyway.
        await Promise.all(hinted.map((transactionId) => deps.hint(transactionId).catch(() => {})));
        const { id: name, isRepeated: repeated, outcome } = imported;
        const classes = Object.entries(outcome.classes).map(([name, lines]) => ({ class: name, lines }));
        return { statement: name, account: id, repeated, ...outcome, classes };
      } catch (error) {
        if (!(error instanceof StatementRefused)) throw error;
        const errors = error.problems.map((told) => ({ field: 'file', message: withLocalTimes(told) }));
        const message = withLocalTimes(error.message);
        throw new GatewayError('validation_failed', message[0]?.toUpperCase() + message.slice(1), { errors });
      }
    },
  ),
} satisfies Record<string, Call>;
