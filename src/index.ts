// What a program may import from icecore: the ledger and its port, identity, errors. The event catalogue is `icecore/schemas`.

export { type ErrorKind, errorKinds, IcecoreError, type Issue } from '../schemas/errors.ts';
export type { Cursor, CursorOrder } from './ledger/cursor.ts';
export * from './ledger/errors.ts';
export { canonicalJson, NotCanonical } from './ledger/identity/canonical.ts';
export { eventId, eventIds, type IdOf, newRunId, sha256 } from './ledger/identity/ids.ts';
export type * from './ledger/ledger.ts';
export { BadLedgerUrl, openLedger } from './ledger/open.ts';
export { StoredEvent } from './ledger/stored.ts';
