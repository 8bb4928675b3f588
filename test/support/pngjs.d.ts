/** The part of pngjs that tests use; the package brings no types. */
declare module 'pngjs' {
  export const PNG: { sync: { read(bytes: Buffer): { width: number; height: number; data: Buffer } } };
}
