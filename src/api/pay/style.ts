import { createHash } from 'node:crypto';

/** The page contains its style sheet, so a slow connection waits for no second file. */
export const style =
  ':root{color-scheme:light dark;--i:#1b1f24;--s:#57606a;--p:#fff;--b:#f3f5f7;--a:#0b57b0;--r:#a40e26;' +
  '--g:#116329}' +
  '@media(prefers-color-scheme:dark){:root{--i:#e6edf3;--s:#9aa5b1;--p:#0f1419;--b:#1a2129;--a:#7ab7ff;' +
  '--r:#ff8f9c;--g:#6fdd8b}}' +
  '*{box-sizing:border-box}' +
  'body{margin:0 auto;max-width:34rem;padding:.5rem .75rem;background:var(--p);color:var(--i);' +
  'font:16px/1.45 system-ui,sans-serif;overflow-wrap:anywhere}' +
  'a{color:var(--a)}:focus-visible{outline:3px solid var(--a);outline-offset:2px}' +
  '.l{text-align:right;margin:0}h1{font-size:1.4rem;margin:.2rem 0}' +
  'h2{font-size:1.1rem;margin:1.3rem 0 .3rem}p{margin:.4rem 0}' +
  'dl{display:grid;grid-template-columns:auto 1fr;gap:.1rem 1rem;margin:.6rem 0}dt{color:var(--s)}' +
  'dd{margin:0;font-weight:600}' +
  '.n{font-size:1.5rem;font-weight:700;letter-spacing:.04em;font-variant-numeric:tabular-nums}' +
  'ol,ul{margin:.3rem 0;padding-left:1.3rem}' +
  '.q{width:200px;max-width:100%;image-rendering:pixelated;background:#fff}' +
  'label{display:block;font-weight:600;margin:.5rem 0 .1rem}small{color:var(--s);display:block}' +
  'input,select{width:100%;padding:.5rem;font:inherit;color:inherit;background:var(--p);' +
  'border:1px solid var(--s);border-radius:4px}' +
  'button{width:100%;margin:.8rem 0 .3rem;padding:.7rem;font:inherit;font-weight:700;border:0;' +
  'border-radius:4px;background:var(--a);color:var(--p)}' +
  '.d,.x{border-left:5px solid var(--g);background:var(--b);padding:.5rem .75rem}.x{border-color:var(--r)}' +
  '@media print{form,.l,.f{display:none}body{font-size:12pt}}';

/** The page loads, runs and frames nothing, appears in no frame, and its form goes only to us. */
export const securityHeaders = {
  'Content-Security-Policy': [
    "default-src 'none'",
    `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
    'img-src data:',
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; '),
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'X-Frame-Options': 'DENY',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'X-Robots-Tag': 'noindex, nofollow',
} as const;
