// Opening the ledger a command works on: to read, only where there is one; to write, made where there is none.
import { existsSync } from 'node:fs';
import { LedgerMissing } from '../ledger/errors.ts';
import type { Ledger, OpenOptions } from '../ledger/ledger.ts';
import { openLedger } from '../ledger/open.ts';
import { maxEventBytes } from '../ledger/sqlite/layout.ts';
import type { Target } from '../producers/intake/target.ts';
import type { Context } from './context.ts';
import { ensureHome, findPlace, type Place } from './home.ts';
import { howToMake } from './missing.ts';
import { refuseAsNewLedger } from './unmade.ts';

export async function withLedgerToRead<Result>(
  context: Context,
  body: (ledger: Ledger) => Promise<Result>,
): Promise<Result> {
  const place = findPlace(context.io, context.flags);
  const ledger = await openThere(context, place, { readOnly: true });
  try {
    return await body(ledger);
  } finally {
    await ledger.close();
  }
}

/** To write to what is there: where there is no ledger, there is nothing that could be meant. */
export async function withLedgerToChange<Result>(
  context: Context,
  body: (ledger: Ledger) => Promise<Result>,
): Promise<Result> {
  const ledger = await openThere(context, findPlace(context.io, context.flags), { readOnly: false });
  try {
    return await body(ledger);
  } finally {
    await ledger.close();
  }
}

async function openThere(context: Context, place: Place, options: OpenOptions): Promise<Ledger> {
  try {
    return await openLedger(place.ledger.url, options);
  } catch (fault) {
    if (!(fault instanceof LedgerMissing)) throw fault;
    throw new LedgerMissing(place.ledger.url, howToMake(context, place));
  }
}

/**
 * A ledger that is there is opened before the input is read, so that what is wrong with it is known at once. One that is
 * not is made when the first events come that it can store: what is refused leaves nothing behind.
 */
export async function withLedgerToWrite<Result>(
  context: Context,
  body: (target: Target) => Promise<Result>,
): Promise<Result> {
  const { home, ledger: place } = findPlace(context.io, context.flags);
  const open = (): Promise<Ledger> => openLedger(place.url, { create: true });
  let ledger = existsSync(place.path) ? await open() : null;
  let hasMadeHome = false;
  const append: Target['append'] = async (stream, events, options) => {
    if (ledger === null) {
      refuseAsNewLedger(stream, events, options.expect);
      hasMadeHome = place.from === 'home' && ensureHome(home);
      ledger = await open();
    }
    return await ledger.append(stream, events, options);
  };
  try {
    return await body({ maxEventBytes, append });
  } finally {
    await ledger?.close();
    // Said last, because the line of a progress may stand open until then.
    if (hasMadeHome) await context.say(`made ${home.path}`);
  }
}
