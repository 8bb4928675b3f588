import assert from 'node:assert/strict';
import fc from 'fast-check';
import { problemsAsCsv } from '../../src/api/batches/batch-present.ts';
import { readBatchFile } from '../../src/api/kit/batch-file.ts';
import { say } from '../../src/domain/messages.ts';
import { tableOf } from '../../src/platform/http/batch-table.ts';
import { pick } from '../support/pick.ts';
import { assertRefused } from './support/api.ts';
import { useTestApi } from './support/use-api.ts';

describe('a refused batch comes back as the file that was sent, with a column Problem', () => {
  const { api } = useTestApi({ balance: 10_000_000 });
  let made = 0;
  const phone = () => `0754${String(++made).padStart(6, '0')}`;
  const send = (content: string, query: string, headers: Record<string, string> = {}) =>
    api.call('POST', `payouts/batches?${query}`, {
      raw: content,
      headers: { 'content-type': 'text/csv', ...headers },
    });

  it('with its own rows as they were, and what is wrong beside each, in the words of its columns', async () => {
    const [one, two] = [phone(), phone()];
    const file = `Mishahara;;\nSimu;Kiasi (TZS);Idara\n${one};5000;=Fedha\n\n${two};5.000;@IT\n;1,000;x\nJUMLA;6000;\n`;
    const answer = await send(file, 'batch_number=P-1&format=csv');
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.headers['content-type'], 'text/csv; charset=utf-8; header=present');
    assert.equal(answer.headers['content-language'], 'en');
    assert.deepEqual(answer.text.split('\r\n'), [
      'Mishahara,,',
      'Simu,Kiasi (TZS),Idara,Problem',
      `${one},5000,'=Fedha,`,
      `${two},5.000,'@IT,"Kiasi (TZS) must be a whole number of shillings above 0, written 5000 or 5,000"`,
      ',"1,000",x,"Simu is needed, or account_number with bic and full_name"',
      'JUMLA,6000,,',
      '',
    ]);
    const corrected = answer.text.replace('5.000', '5000').replace(/\r\n,"1,000"[^\r]*/, '');
    const sent = await send(corrected.replace('6000', '10000'), 'batch_number=P-1');
    assert.deepEqual([sent.body.batch.errors, sent.body.batch.totals.items], [[], 2]);
    const { text } = await api.call('GET', `payouts/batches/${sent.body.batch.id}/items?format=csv`);
    assert.match(text, /^Simu,Kiasi \(TZS\),Idara,row,status,/);
    assert.match(text, /\r\n\d+,5000,'=Fedha,1,waiting,/);
  });

  it('without a word in it where nothing is wrong, and by Accept', async () => {
    const file = `phone,amount\n${phone()},5000\n`;
    const { text } = await send(file, 'batch_number=P-2', { accept: 'text/csv' });
    assert.equal(text, `phone,amount,Problem\r\n${file.split('\n')[1]},\r\n`);
    const json = await send(file, 'batch_number=P-2&format=json', { accept: 'text/csv' });
    assert.deepEqual(json.body.batch.errors, []);
  });

  it('in Swahili for who asks for that', async () => {
    const twice = phone();
    const file = `Simu,Kiasi\n${twice},5000\n${twice},5000\n`;
    const answer = await send(file, 'batch_number=P-3&format=csv', { 'accept-language': 'sw' });
    assert.equal(answer.headers['content-language'], 'sw');
    assert.match(answer.text, /Simu analipwa kiasi hicho hicho katika mstari wa 2 wa faili/);
  });

  it('only for a file', async () => {
    const body = { batch_number: 'P-4', items: [{ phone_number: phone(), amount: 5000, currency: 'TZS' }] };
    const refused = await api.call('POST', 'payouts/batches?format=csv', { body });
    assertRefused(refused, 422, 'validation_failed', ['format']);
    const asked = await api.call('POST', 'payouts/batches', { body, headers: { accept: 'text/csv' } });
    assert.deepEqual(asked.body.batch.errors, []);
  });

  it('and its items are refused instead of being none, as JSON and as CSV', async () => {
    const { body } = await send('phone,amount\n12,5000\n', 'batch_number=P-5');
    assert.equal(body.message, 'The batch cannot be started before its errors (1) are corrected');
    const path = `payouts/batches/${body.batch.id}`;
    for (const query of ['', '?format=csv', '?status=waiting']) {
      const answer = await api.call('GET', `${path}/items${query}`);
      assertRefused(answer, 409, 'batch_state');
      assert.match(answer.body.message, /not kept: .* Correct them and send it again under the same number/);
    }
    assert.equal((await api.call('GET', path)).body.message, body.message);
    await api.call('POST', `${path}/cancel`);
    assertRefused(await api.call('GET', `${path}/items`), 409, 'batch_state');
  });

  it('whole, where JSON shows a thousand wrong rows and says how many more', async () => {
    const file = `phone,amount\n${'12,5000\n'.repeat(1_003)}`;
    const { body } = await send(file, 'batch_number=P-6');
    assert.equal(body.batch.errors.length, 1_000);
    assert.equal(
      body.message,
      'The batch cannot be started before its errors (1003) are corrected: those of the first 1000 rows that are wrong are here, and 3 more rows have some',
    );
    const { text } = await send(file, 'batch_number=P-6&format=csv');
    assert.equal(text.match(/phone must be a Tanzanian/g)?.length, 1_003);
  });

  it('refuses an amount in two cells also where a spreadsheet added a column for it', async () => {
    const file = `phone,amount,Problem\n${phone()},12,500\n${phone()},5000\n`;
    const { text } = await send(file, 'batch_number=P-7&format=csv');
    assert.match(text, /,12,.*more cells than columns.*,500\r\n/);
    // Saved again, each row has as many cells.
    const saved = text.replace('Problem\r\n', 'Problem,\r\n').replace('5000,\r\n', '5000,,\r\n');
    const { batch } = (await send(saved, 'batch_number=P-7')).body;
    assert.deepEqual(pick(batch.errors, 'row', 'field'), [[1, 'row']]);
  });
});

describe('a file that comes back and is sent again', () => {
  const cell = fc.oneof(
    fc.constantFrom('', ' ', '0754123456', '+255754123456', '5,000', '5.000', '12', '-5', 'CRDB', 'TOTAL'),
    fc.string({ unit: fc.constantFrom(...'=+-@\'"＝＠,;\t ax1'), maxLength: 5 }),
  );
  const own = fc.constantFrom('Idara', "'=x", '-', 'Note "1"', '=sum', 'a;b');
  const file = fc.record({
    separator: fc.constantFrom(',', ';', '\t'),
    above: fc.array(
      fc.constantFrom<string[]>(['Mishahara'], ['', '=A', 'x'], ['28 Nov', "'@", '', '', '', '', 'z']),
      {
        maxLength: 3,
      },
    ),
    own: fc.array(own, { maxLength: 3 }),
    rows: fc.array(fc.array(cell, { minLength: 1, maxLength: 7 }), { minLength: 1, maxLength: 6 }),
    breaksAt: fc.integer({ min: -5, max: 6 }),
    wrongAt: fc.array(fc.integer({ min: 1, max: 7 })),
  });
  const written = (cells: string[], separator: string) =>
    cells.map((one) => (/[",;\t]/.test(one) ? `"${one.replaceAll('"', '""')}"` : one)).join(separator);
  const read = (text: string) => readBatchFile(tableOf(Buffer.from(text), 10_000));
  const shown = ({ columns, rows, notes }: ReturnType<typeof read>) => ({
    columns,
    rows: rows.map(({ line: _, wrong, ...row }) => ({
      ...row,
      isWrong: wrong?.map(({ field, message }) => [field, message.id]),
    })),
    notes: notes.map(({ values }) => values.text),
  });

  it('has the same rows', () => {
    fc.assert(
      fc.property(file, fc.constantFrom('en', 'sw'), ({ separator, above, rows, ...more }, language) => {
        const header = ['Simu', ...more.own, 'Kiasi', 'Jina'];
        const lines = [...above, header, ...rows].map((cells) => written(cells, separator));
        if (more.breaksAt >= 0) lines[above.length + 1 + (more.breaksAt % rows.length)] += '"';
        let first: ReturnType<typeof read>;
        try {
          first = read(lines.join('\n'));
        } catch {
          return fc.pre(false);
        }
        const message = say('in_file_row', { problem: say('is_required'), line: 7 });
        const errors = more.wrongAt.map((row) => ({ row, field: 'amount', message }));
        const out = [...problemsAsCsv(first.own, errors, language)].join('');
        const second = read(out);
        // What no row of a table can say is a cell of its own by then, and wrong for another reason.
        const [before, after] = [shown(first), shown(second)];
        for (const [at, row] of before.rows.entries())
          if (row.isWrong?.[0]?.[1] === 'has_open_quote') {
            assert.deepEqual(after.rows[at]?.cells, row.cells);
            before.rows[at] = after.rows[at] as typeof row;
          }
        assert.deepEqual(after, before);
        assert.equal([...problemsAsCsv(second.own, errors, language)].join(''), out);
      }),
      { numRuns: 500 },
    );
  });
});
