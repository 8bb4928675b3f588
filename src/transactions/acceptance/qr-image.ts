import { toDataURL } from 'qrcode';

/** Light modules around the code (4 of them, as the standard wants) and 6 pixels a module: sharp on any screen. */
const OPTIONS = { errorCorrectionLevel: 'M', margin: 4, scale: 6 } as const;

/**
 * A QR payload as a PNG image, `data:image/png;base64,…`, for the merchant to show as it is. `scale`: pixels a module; one
 * is enough where the page enlarges it.
 */
export function drawQr(payload: string, scale: number = OPTIONS.scale): Promise<string> {
  return toDataURL(payload, { ...OPTIONS, scale });
}
