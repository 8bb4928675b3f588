import { toDataURL } from 'qrcode';

/** The standard wants 4 light modules around the code; 6 pixels a module are sharp on any screen. */
const OPTIONS = { errorCorrectionLevel: 'M', margin: 4, scale: 6 } as const;

/** Draws a QR payload as a PNG, `data:image/png;base64,…`. `scale`: pixels a module; one is enough on our page. */
export function drawQr(payload: string, scale: number = OPTIONS.scale): Promise<string> {
  return toDataURL(payload, { ...OPTIONS, scale });
}
