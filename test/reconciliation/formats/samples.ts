/** Statements as networks and banks write them; every name and number is made up. */

/** Each sentence of a refusal ends so. */
export const SAYS_WHAT_TO_DO =
  /[:,] (?:download|ask|choose|open|save|unpack|import|send|keep|hide|show|delete|copy) [^:]*$/;

const LEGACY_HEADER =
  'Receipt No.,Completion Time,Initiation Time,Details,Transaction Status,Paid In,Withdrawn,Balance,Balance Confirmed,Reason Type,Other Party Info,Linked Transaction ID,A/C No.,Currency';

export const NEWER_HEADER = (currency: string) =>
  `Receipt No,Completion Time,Details,Transaction Status,Paid In (${currency}),Withdrawn (${currency}),Balance (${currency})`;

/** One payment of 7,800 as the legacy export of an organisation has it, or with other cells (as they stand in the file). */
export function legacyRow(cells: Partial<Record<keyof typeof payment, string>> = {}): string {
  return Object.values({ ...payment, ...cells }).join(',');
}

const payment = {
  receipt: 'TEST0000A1',
  at: '04-01-2026 17:16:40',
  initiated: '04-01-2026 17:16:39',
  details: 'Pay Bill from 25570****111 - ALICE Acc. 0850060',
  status: 'Completed',
  paidIn: '"7,800.00"',
  withdrawn: '',
  balance: '"7,800.00"',
  confirmed: 'true',
  reason: 'Pay Utility',
  party: '25570****111 - ALICE **** EXAMPLE',
  linked: '',
  account: '0850060',
  currency: 'TZS',
};

export function legacyFile(rows: readonly string[]): string {
  return [
    'Account Holder:,Fictional Traders Ltd - Testville,,,,,,,,,,,,',
    'Short Code:,123456,,,,,,,,,,,,',
    'Account:,Utility Account,,,,,,,,,,,,',
    'Time Period:,From,01-01-2026 00:00:00,To,04-01-2026 23:59:59,,,,,,,,,',
    'Operator:,Tester,Organization:,Fictional Traders,Date of Report:,05-01-2026 07:00:00,,,,,,,,',
    'Opening Balance:,0.00,Closing Balance:,"7,800.00",Available Balance:,,Total Paid In:,"7,800.00",Total Withdrawn:,0.00,,,,',
    LEGACY_HEADER,
    ...rows,
    '',
  ].join('\n');
}

/** An entry of camt.053; `inside` stands behind its date. */
export function camtEntry({
  amount = '5000.00',
  direction = 'CRDT',
  status = 'BOOK',
  version = '08',
  receipt = 'FT260104A',
  inside = '',
}: Partial<
  Record<'amount' | 'direction' | 'status' | 'version' | 'receipt' | 'inside', string>
> = {}): string {
  const sts = version >= '08' ? `<Sts><Cd>${status}</Cd></Sts>` : `<Sts>${status}</Sts>`;
  return `<Ntry><Amt Ccy="TZS">${amount}</Amt><CdtDbtInd>${direction}</CdtDbtInd>${sts}<BookgDt><Dt>2026-01-04</Dt></BookgDt><AcctSvcrRef>${receipt}</AcctSvcrRef>${inside}</Ntry>`;
}

/** A camt.053 of 4 January 2026 for the account 0150123; `inside` stands before the entries. */
export function camtFile(
  entries: readonly string[],
  { version = '08', closing = '5000.00', inside = '' } = {},
): string {
  const balance = (code: string, amount: string) =>
    `<Bal><Tp><CdOrPrtry><Cd>${code}</Cd></CdOrPrtry></Tp><Amt Ccy="TZS">${amount}</Amt><CdtDbtInd>CRDT</CdtDbtInd><Dt><Dt>2026-01-04</Dt></Dt></Bal>`;
  return `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.${version}"><BkToCstmrStmt><GrpHdr><MsgId>M1</MsgId></GrpHdr><Stmt><Id>S1</Id><Acct><Id><Othr><Id>0150123</Id></Othr></Id><Ccy>TZS</Ccy></Acct>${balance('OPBD', '0.00')}${balance('CLBD', closing)}${inside}${entries.join('\n')}</Stmt></BkToCstmrStmt></Document>`;
}
