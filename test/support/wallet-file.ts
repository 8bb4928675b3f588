const HEADER =
  'Receipt No.,Completion Time,Initiation Time,Details,Transaction Status,Paid In,Withdrawn,Balance,Balance Confirmed,Reason Type,Other Party Info,Linked Transaction ID,A/C No.,Currency';
/** The day before yesterday, in Dar es Salaam. */
export const WALLET_DAY = new Date(Date.now() + 3 * 3_600_000 - 2 * 86_400_000).toISOString().slice(0, 10);

/** M-Pesa's statement of that day with so many payments of 1,000 that nobody of ours knows; `first` is the reference of the first. */
export function walletFile(payments: number, first = '0'): string {
  const theirs = WALLET_DAY.split('-').reverse().join('-');
  return [
    'Account Holder,MALIPO',
    'Short Code,100100',
    HEADER,
    ...Array.from({ length: payments }, (_, at) => {
      const minute = String(at).padStart(2, '0');
      const account = at === 0 ? first : String(at);
      return `R${at + 1},${theirs} 10:${minute}:00,${theirs} 10:${minute}:00,Pay Bill from 2547****376 - JANE DOE Acc. ${account},Completed,"1,000.00",,"${at + 1},000.00",true,Pay Utility,2547****376 - JANE DOE,,${account},TZS`;
    }),
    '',
  ].join('\n');
}
