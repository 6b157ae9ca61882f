// What a program may import from icecore: the workspace with all it can do; and below it the ledger and its port, identity, blobs,
// seals, verification, copies, errors. The event catalogue is `icecore/schemas`.

import { testbed } from '../testbed/plugin.ts';
import { openWorkspace as openWith, type Workspace, type WorkspaceOptions } from './library/workspace.ts';

export { canonicalJson, NotCanonical } from '../schemas/canonical.ts';
export { type ErrorKind, errorKinds, IcecoreError, type Issue } from '../schemas/errors.ts';
export type { EventProof, LedgerHead } from '../schemas/head.ts';
export { BadEventType, defineEvent, type OwnData, type OwnEvent } from '../schemas/own-events.ts';
export type * from './ledger/blobs/blobs.ts';
export * from './ledger/blobs/errors.ts';
export { openBlobs } from './ledger/blobs/open.ts';
export { BlobTarget } from './ledger/copy/blob-copy.ts';
export { type Copied, type CopyOptions, type CopyPlaces, copyLedger } from './ledger/copy/copy.ts';
export * from './ledger/copy/errors.ts';
export * from './ledger/errors.ts';
export type { Cursor, CursorOrder } from './ledger/event.ts';
export { eventId, eventIds, type IdOf, newRunId, sha256 } from './ledger/identity/ids.ts';
export type * from './ledger/ledger.ts';
export { blobsBeside } from './ledger/local.ts';
export { openLedger } from './ledger/open.ts';
export { AttemptTree, type SealedAttempt } from './ledger/seal/attempt.ts';
export { isSignatureGood, makeHead, signHead } from './ledger/seal/head.ts';
export { type Inclusion, isIncluded } from './ledger/seal/inclusion.ts';
export { StoredEvent } from './ledger/stored.ts';
export { BadLedgerUrl } from './ledger/stores.ts';
export type { Finding } from './ledger/verify/findings.ts';
export { proveEvent } from './ledger/verify/prove.ts';
export { type Verification, type VerifyOptions, verifyLedger } from './ledger/verify/verify.ts';
export type { Notice } from './library/session.ts';
export { type SqlOptions, type SqlRow, UnexpectedRow } from './library/sql/client.ts';
export type { CallOptions, Workspace, WorkspaceOptions } from './library/workspace.ts';

/** Finds the workspace. Nothing is opened or created before a method needs it. Beside your plugins there is the testbed. */
export async function openWorkspace({ plugins = [], ...options }: WorkspaceOptions = {}): Promise<Workspace> {
  return await openWith({ ...options, plugins: [testbed, ...plugins] });
}
