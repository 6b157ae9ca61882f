// What tests of the page share beside the browser.

/** A machine that is busy is slow, and no test says how fast the page is. */
export const patient = { timeout: 30_000 } as const;

/** A text within a regular expression. */
export function literal(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
