// What tests of the page share beside the browser.
import type { Browsing } from './browsing.ts';

/** A machine that is busy is slow, and no test says how fast the page is. */
export const patient = { timeout: 30_000 } as const;

/** Fills the SQL tables of a copied workspace, so that no test waits for that. */
export function fillTables(site: Browsing): void {
  site.icecore('sql', 'SELECT count(*) FROM rollouts');
}

/** A text within a regular expression. */
export function literal(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
