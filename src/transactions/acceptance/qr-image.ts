import { toDataURL } from 'qrcode';

/** The standard requires a margin of 4 modules; 6 pixels a module are sharp on any screen. */
const OPTIONS = { errorCorrectionLevel: 'M', margin: 4, scale: 6 } as const;

/** Draws a QR payload as a PNG, `data:image/png;base64,…`. `scale`: pixels a module; our page uses 1. */
export function drawQr(payload: string, scale: number = OPTIONS.scale): Promise<string> {
  return toDataURL(payload, { ...OPTIONS, scale });
}
