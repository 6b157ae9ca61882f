// Opens the ledger a command works on, if it exists. Only append creates one (events/append.ts).
import { LedgerMissing } from '../../ledger/errors.ts';
import type { Ledger, OnWait, OpenOptions } from '../../ledger/ledger.ts';
import { isLedgerThere, openLedger } from '../../ledger/open.ts';
import { countUnknown } from '../../ledger/unknown-events.ts';
import { howToMake } from '../place/missing.ts';
import { findPlace, type Place } from '../place/place.ts';
import { noticeUnusedConfig } from '../place/unused-config.ts';
import type { Session } from '../session.ts';

/** Reports that a store is waited for, and that it is back. */
export function noticingWaits(session: Session, ledger?: string): OnWait {
  return (waiting) => void session.notify({ kind: 'waiting', waiting, ...(ledger === undefined ? {} : { ledger }) });
}

export async function withLedgerToRead<Result>(
  session: Session,
  body: (ledger: Ledger) => Promise<Result>,
  onWait: OnWait = noticingWaits(session),
): Promise<Result> {
  const ledger = await openToRead(session, onWait);
  try {
    return await body(ledger);
  } finally {
    await ledger.close();
  }
}

/** For verbs that compute an answer from events: reports if unknown events were left out. */
export async function withLedgerToAnswer<Result>(
  session: Session,
  body: (ledger: Ledger) => Promise<Result>,
): Promise<Result> {
  return await withLedgerToRead(session, (ledger) => noticingUnknown(session, ledger, () => body(ledger)));
}

/** Reported even with --quiet: an incomplete answer must not look complete. */
export async function noticingUnknown<Result>(
  session: Session,
  ledger: Ledger,
  body: () => Promise<Result>,
): Promise<Result> {
  const found = countUnknown(ledger);
  const result = await body();
  const unknown = found();
  if (unknown.length > 0) await session.notify({ kind: 'unknown-events', unknown });
  return result;
}

/** For writing to an existing ledger. */
export async function withLedgerToChange<Result>(
  session: Session,
  body: (ledger: Ledger) => Promise<Result>,
): Promise<Result> {
  const ledger = await openThere(session, findPlace(session), {
    readOnly: false,
    onWait: noticingWaits(session),
  });
  try {
    return await body(ledger);
  } finally {
    await ledger.close();
  }
}

/** For reading; the caller closes it. Null if there is none. */
export async function openIfThere(session: Session): Promise<Ledger | null> {
  const { url } = findPlace(session).ledger;
  const onWait = noticingWaits(session);
  if (!(await isLedgerThere(url, { onWait }))) return null;
  return await openLedger(url, { readOnly: true, onWait, types: (await session.plugins.atHand()).eventTypes });
}

/** The caller closes it. */
export async function openToRead(session: Session, onWait: OnWait = noticingWaits(session)): Promise<Ledger> {
  return await openThere(session, findPlace(session), { readOnly: true, onWait });
}

async function openThere(session: Session, place: Place, options: OpenOptions): Promise<Ledger> {
  await noticeUnusedConfig(session, place);
  const { eventTypes: types } = await session.plugins.atHand();
  return await advisingIfMissing(session, place, () => openLedger(place.ledger.url, { ...options, types }));
}

/** Says what to type where the ledger of the place is missing. */
export async function advisingIfMissing<Result>(
  session: Session,
  place: Place,
  open: () => Promise<Result>,
): Promise<Result> {
  try {
    return await open();
  } catch (fault) {
    if (!(fault instanceof LedgerMissing)) throw fault;
    throw new LedgerMissing(place.ledger.url, howToMake(session, place));
  }
}
