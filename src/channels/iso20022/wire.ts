import { type Minor, minorFromDecimal, toFixedDecimal } from '../../domain/money.ts';
import { parseXml, type XmlElement } from '../kit/xml.ts';
import { findAll, type Tree, textAt, writeXml } from './xml.ts';

/** This element is the receipt of a movement, also on a statement. */
export const RECEIPT_FIELD = 'AcctSvcrRef';

/** ISO 20022 messages in the order of the schemas. Readers ignore unused elements. */

const NAMESPACE = 'urn:iso:std:iso:20022:tech:xsd:';
export const CONTENT_TYPE = 'application/xml; charset=utf-8';

type Money = { amount: Minor; currency: string };
export type Account = { name: string; account: string; bic: string };

/** pain.001.001.09 has one transfer. Its texts already have only allowed letters (`toAllowedText`). */
export type PaymentInitiation = Money & {
  messageId: string;
  createdAt: Date;
  /** YYYY-MM-DD */
  executionDate: string;
  /** used as PmtInfId, InstrId and EndToEndId */
  reference: string;
  debtor: Account;
  creditor: Account;
  remittance: string;
};

export function writePaymentInitiation(payment: PaymentInitiation): string {
  const { debtor, creditor, reference, currency } = payment;
  const amount = toFixedDecimal(payment.amount);
  const transfer: Tree = {
    PmtId: { InstrId: reference, EndToEndId: reference },
    Amt: { InstdAmt: { '@Ccy': currency, '#text': amount } },
    CdtrAgt: { FinInstnId: { BICFI: creditor.bic } },
    Cdtr: { Nm: creditor.name },
    CdtrAcct: { Id: { Othr: { Id: creditor.account } } },
    RmtInf: payment.remittance === '' ? undefined : { Ustrd: payment.remittance },
  };
  return writeXml(`${NAMESPACE}pain.001.001.09`, {
    CstmrCdtTrfInitn: {
      GrpHdr: {
        MsgId: payment.messageId,
        CreDtTm: isoTime(payment.createdAt),
        NbOfTxs: '1',
        CtrlSum: amount,
        InitgPty: { Nm: debtor.name },
      },
      PmtInf: {
        PmtInfId: reference,
        PmtMtd: 'TRF',
        PmtTpInf: { SvcLvl: { Prtry: 'ACH' } },
        ReqdExctnDt: { Dt: payment.executionDate },
        Dbtr: { Nm: debtor.name },
        DbtrAcct: { Id: { Othr: { Id: debtor.account } } },
        DbtrAgt: { FinInstnId: { BICFI: debtor.bic } },
        ChrgBr: 'SLEV',
        CdtTrfTxInf: transfer,
      },
    },
  });
}

export type ReceivedPayment = Money & {
  messageId: string;
  reference: string;
  creditorAccount: string;
  creditorBic: string;
  creditorName: string;
};

export function readPaymentInitiation(body: Uint8Array): ReceivedPayment | null {
  const message = messageIn(body, 'pain.001', 'CstmrCdtTrfInitn');
  const [transfer, ...others] = message ? findAll(message, 'PmtInf/CdtTrfTxInf') : [];
  if (!message || !transfer || others.length > 0) return null;
  const money = moneyAt(transfer, 'Amt/InstdAmt');
  const messageId = textAt(message, 'GrpHdr/MsgId');
  const reference = textAt(transfer, 'PmtId/EndToEndId');
  const creditorAccount = textAt(transfer, 'CdtrAcct/Id/Othr/Id');
  const creditorBic = textAt(transfer, 'CdtrAgt/FinInstnId/BICFI');
  const creditorName = textAt(transfer, 'Cdtr/Nm');
  if (!money || !messageId || !reference || !creditorAccount || !creditorBic || !creditorName) return null;
  return { ...money, messageId, reference, creditorAccount, creditorBic, creditorName };
}

/** pain.002.001.10 reports on one transfer. A refusal of the whole message may have only a `groupStatus`. */
export type StatusReport = {
  messageId: string;
  originalMessageId: string;
  groupStatus: string | null;
  reference: string | null;
  /** different statuses are joined to a text that no table lists */
  status: string | null;
  /** codes of the standard or the bank; the transfer's come first */
  reasons: readonly string[];
  /** AcctSvcrRef: the bank's own reference */
  bankReference: string | null;
  /** ClrSysRef: the clearing system's reference, if there is one */
  clearingReference?: string | null;
  /** amount in OrgnlTxRef that the bank moved or will move; null if absent or ambiguous */
  money: Money | null;
};

export function writeStatusReport(report: StatusReport & { createdAt: Date }): string {
  const { reference, status, money } = report;
  const reasons = report.reasons.map((code): Tree => ({ Rsn: { Cd: code } }));
  const transaction: Tree = {
    OrgnlInstrId: reference ?? undefined,
    OrgnlEndToEndId: reference ?? undefined,
    TxSts: status ?? undefined,
    StsRsnInf: reasons,
    AcctSvcrRef: report.bankReference ?? undefined,
    ClrSysRef: report.clearingReference ?? undefined,
    OrgnlTxRef: money ? { Amt: { InstdAmt: moneyTree(money) } } : undefined,
  };
  return writeXml(`${NAMESPACE}pain.002.001.10`, {
    CstmrPmtStsRpt: {
      GrpHdr: { MsgId: report.messageId, CreDtTm: isoTime(report.createdAt) },
      OrgnlGrpInfAndSts: {
        OrgnlMsgId: report.originalMessageId,
        OrgnlMsgNmId: 'pain.001.001.09',
        GrpSts: report.groupStatus ?? undefined,
        StsRsnInf: status === null ? reasons : undefined,
      },
      OrgnlPmtInfAndSts:
        reference === null || status === null
          ? undefined
          : { OrgnlPmtInfId: reference, TxInfAndSts: transaction },
    },
  });
}

/** Returns a report for each transfer of a pain.002, or one for its whole message; null if unreadable. */
export function readStatusReports(body: Uint8Array): StatusReport[] | null {
  const message = messageIn(body, 'pain.002', 'CstmrPmtStsRpt');
  if (!message) return null;
  const all = findAll(message, 'OrgnlPmtInfAndSts').flatMap((payment): Said[] => {
    const transfers = findAll(payment, 'TxInfAndSts');
    const batch = textAt(payment, 'OrgnlPmtInfId');
    if (transfers.length === 0) return [{ reference: batch, payment, transfers }];
    return transfers.map((one) => ({
      reference: textAt(one, 'OrgnlEndToEndId') ?? batch,
      payment,
      transfers: [one],
    }));
  });
  const references = all.length === 0 ? [null] : [...new Set(all.map(({ reference }) => reference))];
  const reports = references.map((reference) =>
    reportOf(message, reference, { said: all.filter((one) => one.reference === reference) }),
  );
  return reports.every(({ status, groupStatus }) => status ?? groupStatus) ? reports : null;
}

type Said = { reference: string | null; payment: XmlElement; transfers: XmlElement[] };

/** If a message names two amounts, the amount is unknown. */
function reportOf(message: XmlElement, reference: string | null, { said }: { said: Said[] }): StatusReport {
  const transfers = said.flatMap((one) => one.transfers);
  const payments = said.map(({ payment }) => payment);
  const [money = null, ...others] = transfers.map(moneyOf);
  const isOneAmount = others.every(
    (one) => one?.amount === money?.amount && one?.currency === money?.currency,
  );
  return {
    messageId: textAt(message, 'GrpHdr/MsgId') ?? '',
    originalMessageId: textAt(message, 'OrgnlGrpInfAndSts/OrgnlMsgId') ?? '',
    groupStatus: textsAt([message], 'OrgnlGrpInfAndSts/GrpSts').join(' ') || null,
    reference,
    status: textsAt(transfers, 'TxSts').join(' ') || null,
    reasons: [
      ...reasonsAt([...transfers, ...payments], 'StsRsnInf'),
      ...reasonsAt([message], 'OrgnlGrpInfAndSts/StsRsnInf'),
    ],
    bankReference: textAt(transfers[0], RECEIPT_FIELD),
    clearingReference: textAt(transfers[0], 'ClrSysRef'),
    money: isOneAmount ? money : null,
  };
}

function textsAt(elements: readonly XmlElement[], path: string): string[] {
  const texts = elements.flatMap((element) => findAll(element, path).map(({ text }) => text));
  return [...new Set(texts)].filter((text) => text !== '');
}

function reasonsAt(elements: readonly XmlElement[], path: string): string[] {
  return textsAt(elements, `${path}/Rsn/Cd`).concat(textsAt(elements, `${path}/Rsn/Prtry`));
}

/** A bank may report the ordered amount, the settled one, or another currency. */
const AMOUNTS = ['Amt/InstdAmt', 'IntrBkSttlmAmt', 'Amt/EqvtAmt/Amt'];

function moneyOf(transfer: XmlElement): Money | null {
  const [money = null] = AMOUNTS.flatMap((path) => moneyAt(transfer, `OrgnlTxRef/${path}`) ?? []);
  return money;
}

/** pacs.004 returns a paid transfer. */
export type PaymentReturn = Money & { returnId: string; reference: string; reason: string };

export function writePaymentReturn(returned: PaymentReturn & { messageId: string; createdAt: Date }): string {
  return writeXml(`${NAMESPACE}pacs.004.001.09`, {
    PmtRtr: {
      GrpHdr: {
        MsgId: returned.messageId,
        CreDtTm: isoTime(returned.createdAt),
        NbOfTxs: '1',
        SttlmInf: { SttlmMtd: 'CLRG' },
      },
      TxInf: {
        RtrId: returned.returnId,
        OrgnlEndToEndId: returned.reference,
        RtrdIntrBkSttlmAmt: moneyTree(returned),
        RtrRsnInf: { Rsn: { Cd: returned.reason } },
      },
    },
  });
}

export function readPaymentReturn(body: Uint8Array): PaymentReturn | null {
  const message = messageIn(body, 'pacs.004', 'PmtRtr');
  const [transaction, ...others] = message ? findAll(message, 'TxInf') : [];
  if (!transaction || others.length > 0) return null;
  const returnId = textAt(transaction, 'RtrId');
  const reference = textAt(transaction, 'OrgnlEndToEndId');
  const money = moneyAt(transaction, 'RtrdIntrBkSttlmAmt');
  if (!returnId || !reference || !money) return null;
  return { ...money, returnId, reference, reason: textAt(transaction, 'RtrRsnInf/Rsn/Cd') ?? 'NARR' };
}

/** acmt.023 asks for the holder of an account. */
export type VerificationRequest = { messageId: string; accountNumber: string; bic: string };

export function writeVerificationRequest(
  request: VerificationRequest & { createdAt: Date; assigner: string },
): string {
  return writeXml(`${NAMESPACE}acmt.023.001.02`, {
    IdVrfctnReq: {
      Assgnmt: {
        MsgId: request.messageId,
        CreDtTm: isoTime(request.createdAt),
        Assgnr: { Pty: { Nm: request.assigner } },
        Assgne: { Agt: { FinInstnId: { BICFI: request.bic } } },
      },
      Vrfctn: {
        Id: request.messageId,
        PtyAndAcctId: {
          Acct: { Othr: { Id: request.accountNumber } },
          Agt: { FinInstnId: { BICFI: request.bic } },
        },
      },
    },
  });
}

export function readVerificationRequest(body: Uint8Array): VerificationRequest | null {
  const message = messageIn(body, 'acmt.023', 'IdVrfctnReq') ?? undefined;
  const messageId = textAt(message, 'Assgnmt/MsgId');
  const accountNumber = textAt(message, 'Vrfctn/PtyAndAcctId/Acct/Othr/Id');
  const bic = textAt(message, 'Vrfctn/PtyAndAcctId/Agt/FinInstnId/BICFI');
  return messageId && accountNumber && bic ? { messageId, accountNumber, bic } : null;
}

/** acmt.024 answers. `fullName` is the holder's name at the bank. */
export type VerificationReport = {
  originalId: string;
  verified: boolean;
  reason: string | null;
  fullName: string | null;
};

export function writeVerificationReport(
  report: VerificationReport & { messageId: string; createdAt: Date; bic: string },
): string {
  const agent: Tree = { Agt: { FinInstnId: { BICFI: report.bic } } };
  return writeXml(`${NAMESPACE}acmt.024.001.02`, {
    IdVrfctnRpt: {
      Assgnmt: {
        MsgId: report.messageId,
        CreDtTm: isoTime(report.createdAt),
        Assgnr: agent,
        Assgne: agent,
      },
      Rpt: {
        OrgnlId: report.originalId,
        Vrfctn: String(report.verified),
        Rsn: report.reason === null ? undefined : { Cd: report.reason },
        UpdtdPtyAndAcctId: report.fullName === null ? undefined : { Pty: { Nm: report.fullName } },
      },
    },
  });
}

export function readVerificationReport(body: Uint8Array): VerificationReport | null {
  const message = messageIn(body, 'acmt.024', 'IdVrfctnRpt') ?? undefined;
  const verified = textAt(message, 'Rpt/Vrfctn');
  if (verified === null) return null;
  return {
    originalId: textAt(message, 'Rpt/OrgnlId') ?? '',
    verified: verified === 'true' || verified === '1',
    reason: textAt(message, 'Rpt/Rsn/Cd'),
    fullName: textAt(message, 'Rpt/UpdtdPtyAndAcctId/Pty/Nm'),
  };
}

function messageIn(body: Uint8Array, wanted: string, element: string): XmlElement | null {
  const document = parseXml(body, { isStrict: true });
  if (document?.name !== 'Document') return null;
  const version = document.namespace.slice(`${NAMESPACE}${wanted}`.length);
  if (!document.namespace.startsWith(`${NAMESPACE}${wanted}`) || !/^\.001\.\d{2}$/.test(version)) return null;
  return findAll(document, element)[0] ?? null;
}

function moneyAt(element: XmlElement, path: string): Money | null {
  const found = findAll(element, path)[0];
  const amount = found ? minorFromDecimal(found.text) : null;
  const currency = found?.attributes.Ccy;
  return amount !== null && currency ? { amount, currency } : null;
}

const moneyTree = ({ amount, currency }: Money): Tree => ({
  '@Ccy': currency,
  '#text': toFixedDecimal(amount),
});

/** Every bank gets ISODateTime in UTC without fractions. */
const isoTime = (time: Date) => `${time.toISOString().slice(0, 19)}Z`;
