// Opening the ledger a command works on, where there is one. Only append makes one (append/target.ts).
import { LedgerMissing } from '../ledger/errors.ts';
import type { Ledger, OnWait, OpenOptions } from '../ledger/ledger.ts';
import { openLedger } from '../ledger/open.ts';
import { UnknownWatch } from '../ledger/unknown-events.ts';
import type { Context } from './context.ts';
import { findPlace, type Place } from './home.ts';
import { howToMake } from './missing.ts';
import { leftOutText } from './tables/remarks.ts';
import { sayingWaits } from './waiting.ts';

export async function withLedgerToRead<Result>(
  context: Context,
  body: (ledger: Ledger) => Promise<Result>,
  onWait: OnWait = sayingWaits(context),
): Promise<Result> {
  const place = findPlace(context.io, context.flags);
  const ledger = await openThere(context, place, { readOnly: true, onWait });
  try {
    return await body(ledger);
  } finally {
    await ledger.close();
  }
}

/** For who folds events into an answer: it is said when some of those read are not known, and therefore left out. */
export async function withLedgerToAnswer<Result>(
  context: Context,
  body: (ledger: Ledger) => Promise<Result>,
): Promise<Result> {
  return await withLedgerToRead(context, (ledger) => sayingUnknown(context, ledger, () => body(ledger)));
}

/** Also to who wants no prose: an answer that lacks something must not be taken for one that does not. */
export async function sayingUnknown<Result>(
  { io }: Context,
  ledger: Ledger,
  body: () => Promise<Result>,
): Promise<Result> {
  const unknown = new UnknownWatch();
  unknown.watch(ledger);
  const result = await body();
  if (unknown.found.length > 0) await io.stderr.write(`${leftOutText(unknown.found)}\n`);
  return result;
}

/** To write to what is there: where there is no ledger, there is nothing that could be meant. */
export async function withLedgerToChange<Result>(
  context: Context,
  body: (ledger: Ledger) => Promise<Result>,
): Promise<Result> {
  const ledger = await openThere(context, findPlace(context.io, context.flags), {
    readOnly: false,
    onWait: sayingWaits(context),
  });
  try {
    return await body(ledger);
  } finally {
    await ledger.close();
  }
}

async function openThere(context: Context, place: Place, options: OpenOptions): Promise<Ledger> {
  try {
    return await openLedger(place.ledger.url, { ...options, types: context.io.eventTypes });
  } catch (fault) {
    if (!(fault instanceof LedgerMissing)) throw fault;
    throw new LedgerMissing(place.ledger.url, howToMake(context, place));
  }
}
