import { jsonText } from '../../base/json-text.ts';
import type { JsonOf } from '../../contract/json-of.ts';
import type { numberAnswer } from '../../contract/number-schemas.ts';
import { GatewayError } from '../../domain/errors.ts';
import { say } from '../../domain/messages.ts';
import { toUnits } from '../../domain/money.ts';
import { parseMsisdn, showMsisdn } from '../../domain/msisdn.ts';
import type { QrPayee } from '../../domain/operation.ts';
import { buildTanqr } from '../../domain/tanqr.ts';
import type { NumberNow } from '../../transactions/rows/number-store.ts';

const shownPayer = (payer: string) => {
  const phone = parseMsisdn(payer);
  return phone === null ? payer : showMsisdn(phone);
};

/** Makes the printed QR code, which has an amount only if the number accepts exactly one. */
export function payloadOf(
  { minimum, maximum, controlNumber }: Pick<NumberNow, 'minimum' | 'maximum' | 'controlNumber'>,
  payee: QrPayee & { merchantName: string },
): string {
  const amount = minimum === maximum ? minimum : null;
  return buildTanqr({ ...payee, amount, controlNumber, isStanding: true });
}

export function presentNumber(
  number: NumberNow,
  payUrl: string | undefined,
): JsonOf<typeof numberAnswer>['number'] {
  const { purpose } = number;
  if (purpose === 'link') throw new GatewayError('not_found', say('no_number'));
  return {
    id: number.id,
    reference: number.controlNumber,
    customer_reference: number.customerReference,
    purpose,
    status: number.status,
    description: number.description ?? undefined,
    minimum: number.minimum === null ? undefined : toUnits(number.minimum),
    maximum: number.maximum === null ? undefined : toUnits(number.maximum),
    payers: number.payers?.map(shownPayer),
    pay_url: payUrl,
    created_at: number.createdAt,
    metadata: jsonText(number.metadata),
  };
}
