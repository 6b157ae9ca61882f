// A part of a text that outlives it. The engine keeps the whole text for a part of it; what is remembered is copied out.

/** ASCII only. */
export function ownText(part: string): string {
  return Buffer.from(part, 'latin1').toString('latin1');
}
