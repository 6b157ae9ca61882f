// Opening the ledger a command works on, where there is one. Only append makes one (events/append.ts).
import { LedgerMissing } from '../../ledger/errors.ts';
import type { Ledger, OnWait, OpenOptions } from '../../ledger/ledger.ts';
import { isLedgerThere, openLedger } from '../../ledger/open.ts';
import { UnknownEventCounter } from '../../ledger/unknown-events.ts';
import { howToMake } from '../place/missing.ts';
import { findPlace, type Place } from '../place/place.ts';
import { noticeUnfollowed } from '../place/unfollowed.ts';
import type { Session } from '../session.ts';

/** Notices that a store is waited for, and that it is back. */
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

/** For who folds events into an answer: it is said when some of those read are not known, and therefore left out. */
export async function withLedgerToAnswer<Result>(
  session: Session,
  body: (ledger: Ledger) => Promise<Result>,
): Promise<Result> {
  return await withLedgerToRead(session, (ledger) => noticingUnknown(session, ledger, () => body(ledger)));
}

/** Also to who wants no prose: an answer that lacks something must not be taken for one that does not. */
export async function noticingUnknown<Result>(
  session: Session,
  ledger: Ledger,
  body: () => Promise<Result>,
): Promise<Result> {
  const unknown = new UnknownEventCounter();
  unknown.watch(ledger);
  const result = await body();
  if (unknown.found.length > 0) await session.notify({ kind: 'unknown-events', unknown: unknown.found });
  return result;
}

/** To write to what is there: where there is no ledger, there is nothing that could be meant. */
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

/** To read, by the caller, who closes it; null where there is none. */
export async function openIfThere(session: Session): Promise<Ledger | null> {
  const { url } = findPlace(session).ledger;
  const onWait = noticingWaits(session);
  if (!(await isLedgerThere(url, { onWait }))) return null;
  return await openLedger(url, { readOnly: true, onWait, types: (await session.plugins.atHand()).eventTypes });
}

/** To be closed by the caller. */
export async function openToRead(session: Session, onWait: OnWait = noticingWaits(session)): Promise<Ledger> {
  return await openThere(session, findPlace(session), { readOnly: true, onWait });
}

async function openThere(session: Session, place: Place, options: OpenOptions): Promise<Ledger> {
  await noticeUnfollowed(session, place);
  try {
    return await openLedger(place.ledger.url, { ...options, types: (await session.plugins.atHand()).eventTypes });
  } catch (fault) {
    if (!(fault instanceof LedgerMissing)) throw fault;
    throw new LedgerMissing(place.ledger.url, howToMake(session, place));
  }
}
