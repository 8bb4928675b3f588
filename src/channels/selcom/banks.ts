/** Selcom's Qwiksend has these names by BIC; its list lacks MUCOBA, Standard Chartered, TADB and TIB. */
const shortNames: Record<string, string> = {
  BARCTZTZ: 'ABSA',
  ACTZTZTZ: 'SPSCASHIN',
  AKCOTZTZ: 'AKIBA',
  AMNNTZTZ: 'AMANABANK',
  AZANTZTZ: 'AZANIA',
  FMBZTZTX: 'BANCABC',
  EUAFTZTZ: 'BOA',
  BARBTZTZ: 'BANKOFBARODA',
  BKIDTZTZ: 'BANKOFINDIA',
  CDSHTZTZ: 'CHINADASHENG',
  CITITZTZ: 'CITIBANK',
  CORUTZTZ: 'CRDBBANK',
  DASUTZTZ: 'DCBBANK',
  DTKETZTZ: 'DTB',
  ECOCTZTZ: 'ECOBANK',
  EQBLTZTZ: 'EQUITYBANK',
  EXTNTZTZ: 'EXIMBANK',
  FNMITZTZ: 'FINCA',
  GTBITZTZ: 'GTBANK',
  HABLTZTZ: 'HABIBBANK',
  IMBLTZTZ: 'IMBANK',
  BKMYTZTZ: 'ICB',
  KCBLTZTZ: 'KCB',
  KLMJTZTZ: 'KILIMANJARO',
  ADVBTZTZ: 'LETSHEGO',
  MBTLTZTZ: 'MAENDELEO',
  MKCBTZTZ: 'MKOMBOZI',
  MWCOTZTZ: 'MWALIMU',
  MWCBTZTZ: 'MWANGA',
  NMIBTZTZ: 'NMB',
  NLCBTZTX: 'NBC',
  CBAFTZTZ: 'NCBA',
  PBZATZTZ: 'PBZ',
  SBICTZTX: 'STANBIC',
  TAPBTZTZ: 'TCB',
  UCCTTZTZ: 'UCHUMI',
  UNAFTZTZ: 'UBA',
};

/** Returns Selcom's name of a bank, or null. `own` wins over the list. */
export function bankCodeOf(bic: string, own: Readonly<Record<string, string>>): string | null {
  const institution = bic.slice(0, 8);
  return own[institution] ?? shortNames[institution] ?? null;
}
