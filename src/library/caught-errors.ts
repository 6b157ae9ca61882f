// The errors of ledgers that callers tell by their class; all others are IcecoreErrors with a name and a kind.
export {
  AttemptBroken,
  BadCursor,
  DamagedEvent,
  Diverged,
  DuplicateId,
  EventTooLarge,
  EvidenceMissing,
  InvalidEvents,
  isAway,
  LedgerClosed,
  LedgerMissing,
  type MissingFacts,
  NotALedger,
  WrongRevision,
} from '../ledger/errors.ts';
