// Opens the ledger at a URL. The code of a store is loaded only when a URL needs it.
import { IcecoreError } from '../../schemas/errors.ts';
import { eventTypesWith } from '../../schemas/own-events.ts';
import { LedgerMissing } from './errors.ts';
import type { Ledger, OpenOptions } from './ledger.ts';
import { observed } from './observed.ts';
import { registerTypes } from './own-types.ts';
import { driverOf, type LedgerUrl, parseLedgerUrl } from './stores.ts';

/** Opens the ledger at a URL. Throws BadLedgerUrl, LedgerMissing, and PartAlone for half of a split ledger. */
export async function openLedger(url: string, options: OpenOptions = {}): Promise<Ledger> {
  const types = eventTypesWith(options.types);
  const ledger = observed(registerTypes(types, await openParsed(parseLedgerUrl(url), options)));
  if (ledger.part === undefined || options.readOnly === true) return ledger;
  await ledger.close();
  throw partAlone(ledger.url, ledger.part);
}

async function openParsed(url: LedgerUrl, options: OpenOptions): Promise<Ledger> {
  if (url.scheme !== 'split') return await driverOf(url).open(url, options);
  return await (await import('./split/open.ts')).openSplit(url, options, openParsed);
}

/** Whether there is something to open, even if only the remains of an interrupted creation. */
export async function isLedgerThere(url: string, waiting: Pick<OpenOptions, 'onWait'> = {}): Promise<boolean> {
  const parsed = parseLedgerUrl(url);
  // The store of decisions is created first.
  const store = parsed.scheme === 'split' ? parsed.decisions : parsed;
  const known = driverOf(store).isThere?.(store);
  if (known !== undefined) return known;
  try {
    await (await openParsed(store, { ...waiting, readOnly: true })).close();
    return true;
  } catch (error) {
    if (error instanceof LedgerMissing) return false;
    throw error;
  }
}

/** Writing to one part alone would put events where readers of the split ledger do not look for them. */
export function partAlone(url: string, part: 'decisions' | 'evidence'): IcecoreError {
  return new IcecoreError('conflict', `${url} has only the ${part} of a split ledger`, {
    name: 'PartAlone',
    facts: { url, part },
    remedy: 'Name both parts: split:DECISIONS+EVIDENCE. A single part can be read, but neither written nor copied.',
  });
}
