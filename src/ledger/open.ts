// From a URL to a ledger. A store is loaded only when its URL asks for it.
import { IcecoreError } from '../../schemas/errors.ts';
import type { Ledger, OpenOptions } from './ledger.ts';

const schemes = ['sqlite'] as const;

type Scheme = (typeof schemes)[number];

/** The scheme and the rest of a ledger's URL. Throws BadLedgerUrl on anything else. */
export function parseLedgerUrl(url: string): { readonly scheme: Scheme; readonly place: string } {
  const colon = url.indexOf(':');
  const scheme = schemes.find((known) => known === url.slice(0, colon));
  const place = url.slice(colon + 1);
  if (scheme === undefined || place === '') throw new BadLedgerUrl(url);
  return { scheme, place };
}

export async function openLedger(url: string, options: OpenOptions = {}): Promise<Ledger> {
  const { place } = parseLedgerUrl(url);
  const { openSqlite } = await import('./sqlite/store.ts');
  return openSqlite(place, options);
}

export class BadLedgerUrl extends IcecoreError {
  override readonly name = 'BadLedgerUrl';

  constructor(url: string) {
    super('usage', `"${url}" is not the URL of a ledger`, {
      facts: { url, allowed: schemes },
      remedy: 'Write sqlite:PATH, for example sqlite:.icecore/ledger.db.',
    });
  }
}
