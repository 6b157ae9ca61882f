// What `icecore/ledger` exports: the ledger and its port, identity, blobs, seals, verification, copies, errors.
export { canonicalJson, NotCanonical } from '../../schemas/canonical.ts';
export type { EventProof, LedgerHead } from '../../schemas/head.ts';
export { StorageFailed } from '../base/folders.ts';
export type * from '../ledger/blobs/blobs.ts';
export { BlobDamaged, BlobMissing, BlobStoreMissing } from '../ledger/blobs/errors.ts';
export { openBlobs } from '../ledger/blobs/open.ts';
export type { Check } from '../ledger/checks.ts';
export {
  type BlobSink,
  BlobTarget,
  type Erasing,
  type RedactedTexts,
} from '../ledger/copy/blob-copy.ts';
export type { Proof } from '../ledger/copy/compare.ts';
export {
  type Copied,
  type CopyOptions,
  type CopyPlaces,
  type CopyStep,
  copyLedger,
  type Parent,
} from '../ledger/copy/copy.ts';
export type { Cursor, CursorOrder } from '../ledger/event.ts';
export { eventId, eventIds, type IdOf, newRunId, sha256 } from '../ledger/identity/ids.ts';
export type * from '../ledger/ledger.ts';
export { blobsBeside } from '../ledger/local-paths.ts';
export { openLedger } from '../ledger/open.ts';
export type { RedactedText } from '../ledger/redactions.ts';
export { AttemptTree, type SealedAttempt } from '../ledger/seal/attempt.ts';
export { isSignatureGood, makeHead, signHead } from '../ledger/seal/head.ts';
export { type Inclusion, isIncluded } from '../ledger/seal/inclusion.ts';
export { StoredEvent } from '../ledger/stored.ts';
export { BadLedgerUrl } from '../ledger/stores.ts';
export type { Tally } from '../ledger/verify/account.ts';
export type { Finding } from '../ledger/verify/findings.ts';
export { proveEvent } from '../ledger/verify/prove.ts';
export { type Interrupted, type Verification, type VerifyOptions, verifyLedger } from '../ledger/verify/verify.ts';
export * from './caught-errors.ts';
