// `blob put` and `blob get`: store bytes of any size under their digest, so that events can refer to them.
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { IcecoreError } from '../../schemas/errors.ts';
import type { BlobPut } from '../../schemas/output.ts';
import { kindOf, NotRegularFile } from '../base/regular-file.ts';
import { withWorkingFolder } from '../base/temporary.ts';
import type { Blobs } from '../ledger/blobs/blobs.ts';
import { openBlobs } from '../ledger/blobs/open.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { isNeeded, KnownRedactions, namersOf, Redactions } from '../ledger/redactions.ts';
import { blobsUrl, withBlobs } from './opening/blobs.ts';
import { openIfThere } from './opening/ledger.ts';
import { ensureWorkspaceFor, findPlace } from './place/place.ts';
import { type Input, openSource, type Source } from './place/source.ts';
import { type Session, SessionProgress } from './session.ts';

/** How to store a blob. */
export interface PutBlobOptions {
  /** Store the blob even if it was redacted. */
  readonly restore?: boolean;
}

/** Does not store redacted content again; `erased` then names the Redacted event. */
export async function putBlob(
  session: Session,
  input: Input,
  { restore = false }: PutBlobOptions = {},
): Promise<BlobPut> {
  const place = findPlace(session);
  requireBounded(session, input);
  const source = openSource(session, input, place.ledger.files);
  const isCreated = ensureWorkspaceFor(place);
  try {
    return await withBlobs(blobsUrl(session), { create: true }, async (blobs) => {
      if (restore) return await store(session, blobs, source);
      return await withRedactions(session, async (ledger, known) =>
        ledger === null || known.isEmpty
          ? await store(session, blobs, source)
          : await storeUnlessRedacted(session, blobs, source, { ledger, known, near: place.workspace.path }),
      );
    });
  } finally {
    source.close();
    if (isCreated) await session.notify({ kind: 'workspace-created', path: place.workspace.path });
  }
}

/** No checkpoint is larger. Endless input would fill the disk. */
const maxBytes = 1024 * 2 ** 30;

/** A device never ends and a FIFO may never start. A file has a known size, and a pipe ends with its program. */
function requireBounded({ cwd }: Session, input: Input): void {
  if (typeof input !== 'string') return;
  const path = resolve(cwd, input);
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined || found.isFile() || found.isDirectory()) return;
  throw new NotRegularFile(path, kindOf(found), 'a regular file, or - for standard input');
}

function tooMuch(name: string): IcecoreError {
  return new IcecoreError('bad-input', `${name}: found more than ${maxBytes} bytes, which is the limit for one blob`, {
    facts: { name, most: maxBytes },
    remedy: 'Nothing was stored. Split it into several blobs.',
  });
}

async function store(session: Session, blobs: Blobs, source: Source): Promise<BlobPut> {
  const { digest, bytes } = await readThrough(session, source, (pieces) => blobs.put(pieces));
  return { store: blobs.url, blob: digest, bytes, erased: null };
}

interface Redacting {
  readonly ledger: Ledger;
  readonly known: KnownRedactions;
  readonly near: string;
}

/** The digest is known only after everything was read. Until then the bytes go to a temporary file, and the store is not touched. */
async function storeUnlessRedacted(
  session: Session,
  blobs: Blobs,
  source: Source,
  { ledger, known, near }: Redacting,
): Promise<BlobPut> {
  return await withWorkingFolder(near, async (folder) => {
    const aside = join(folder, 'text');
    const hash = createHash('sha256');
    let bytes = 0;
    await readThrough(session, source, (pieces) =>
      pipeline(
        pieces,
        async function* (some: AsyncIterable<Uint8Array>) {
          for await (const piece of some) {
            hash.update(piece);
            bytes += piece.byteLength;
            yield piece;
          }
        },
        createWriteStream(aside, { mode: 0o600 }),
      ),
    );
    const blob = hash.digest('hex');
    const erased = await redactedBy(ledger, known, blob);
    if (erased === null) await blobs.put(createReadStream(aside));
    return { store: blobs.url, blob, bytes, erased };
  });
}

/** The Redacted event of the blob; null if there is none or other events still refer to the blob. */
async function redactedBy(ledger: Ledger, known: KnownRedactions, blob: string): Promise<string | null> {
  const [redaction] = known.of(blob);
  if (redaction === undefined) return null;
  const namers = (await namersOf(ledger, new Set([blob]))).get(blob) ?? [];
  return namers.some((namer) => isNeeded(namer, blob, known)) ? null : redaction.by;
}

async function readThrough<Result>(
  session: Session,
  source: Source,
  body: (pieces: AsyncIterable<Uint8Array>) => Promise<Result>,
): Promise<Result> {
  const progress = new SessionProgress(session, 'bytes');
  async function* counting(): AsyncGenerator<Uint8Array> {
    let done = 0;
    for await (const piece of source.bytes) {
      done += piece.byteLength;
      if (done > maxBytes) throw tooMuch(source.name);
      yield piece;
      await progress.update(done, source.totalBytes);
    }
  }
  try {
    return await body(counting());
  } finally {
    await progress.end();
  }
}

/** The redactions of the current ledger; null without a ledger. */
async function withRedactions<Result>(
  session: Session,
  body: (ledger: Ledger | null, known: KnownRedactions) => Promise<Result>,
): Promise<Result> {
  const ledger = await openIfThere(session);
  if (ledger === null) return await body(null, new KnownRedactions());
  try {
    return await body(ledger, await new Redactions(ledger).look());
  } finally {
    await ledger.close();
  }
}

/** The bytes of a blob. Their digest is checked while reading. */
export async function* blob(session: Session, digest: string): AsyncGenerator<Uint8Array, void, undefined> {
  const blobs = await openBlobs(blobsUrl(session), { readOnly: true });
  try {
    for await (const piece of blobs.read(digest)) {
      session.signal.throwIfAborted();
      yield piece;
    }
  } finally {
    await blobs.close();
  }
}
