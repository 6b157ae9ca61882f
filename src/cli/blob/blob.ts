// What `icecore blob` does.
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { IcecoreError } from '../../../schemas/errors.ts';
import type { BlobPut } from '../../../schemas/output.ts';
import { counted } from '../../base/quantity.ts';
import { kindOf, NotRegularFile } from '../../base/regular-file.ts';
import { visible, visibleLines } from '../../base/visible.ts';
import type { Blobs } from '../../ledger/blobs/blobs.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { isLedgerThere, openLedger } from '../../ledger/open.ts';
import { isNeeded, KnownRedactions, namersOf, Redactions } from '../../ledger/redactions.ts';
import { withWorkingFolder } from '../../ledger/temporary.ts';
import { blobsUrl, withBlobs } from '../../library/opening/blobs.ts';
import { noticingWaits } from '../../library/opening/ledger.ts';
import { ensureHomeFor, findPlace } from '../../library/place/place.ts';
import type { Context } from '../context.ts';
import { Progress } from '../output/progress.ts';
import { openSource, type Source } from '../../library/plugins/source.ts';

export interface PutOptions {
  /** Put what was redacted back. */
  readonly restore?: true;
}

export async function putBlob(context: Context, file: string, { restore }: PutOptions): Promise<number> {
  const place = findPlace(context.session);
  requireBounded(context, file);
  const source = await openSource(context, file, place.ledger.files, 'what to store');
  const hasMadeHome = ensureHomeFor(place);
  try {
    const put = await withBlobs(blobsUrl(context.session), { create: true }, async (blobs): Promise<BlobPut> => {
      if (restore === true) return await store(context, blobs, source);
      return await withRedactions(context, async (ledger, known) =>
        ledger === null || known.isEmpty
          ? await store(context, blobs, source)
          : await storeUnlessRedacted(context, blobs, source, { ledger, known, near: place.home.path }),
      );
    });
    if (context.flags.json) await context.printJson(put);
    else await tell(context, put);
    if (hasMadeHome) await context.say(`made ${place.home.path}`);
    return put.erased === null ? 0 : 1;
  } finally {
    source.close();
  }
}

/** No checkpoint is larger; what has no end would fill the disk. */
const mostBytes = 1024 * 2 ** 30;

/** A device never ends and a FIFO may never begin: a file is stored as a whole, and a program writes into a pipe. */
function requireBounded({ io }: Context, file: string): void {
  if (file === '-') return;
  const path = resolve(io.cwd, file);
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined || found.isFile() || found.isDirectory()) return;
  const allowed = 'a regular file, or - for standard input';
  throw new NotRegularFile(path, kindOf(found), allowed);
}

function tooMuch(name: string): IcecoreError {
  return new IcecoreError('bad-input', `${name}: found more than ${mostBytes} bytes, allowed: as many in a blob`, {
    facts: { name, most: mostBytes },
    remedy: 'Nothing was stored. Divide it into several blobs.',
  });
}

async function store(context: Context, blobs: Blobs, source: Source): Promise<BlobPut> {
  const { digest, bytes } = await readThrough(context, source, (pieces) => blobs.put(pieces));
  return { store: blobs.url, blob: digest, bytes, erased: null };
}

interface Redacting {
  readonly ledger: Ledger;
  readonly known: KnownRedactions;
  readonly near: string;
}

/** Which text it is, is known only when all of it was read: until then it is kept aside, and the store is not touched. */
async function storeUnlessRedacted(
  context: Context,
  blobs: Blobs,
  source: Source,
  { ledger, known, near }: Redacting,
): Promise<BlobPut> {
  return await withWorkingFolder(near, async (folder) => {
    const aside = join(folder, 'text');
    const hash = createHash('sha256');
    let bytes = 0;
    await readThrough(context, source, (pieces) =>
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

/** The Redacted event that says so; null where none does, or something else names the same blob. */
async function redactedBy(ledger: Ledger, known: KnownRedactions, blob: string): Promise<string | null> {
  const [redaction] = known.of(blob);
  if (redaction === undefined) return null;
  const namers = (await namersOf(ledger, new Set([blob]))).get(blob) ?? [];
  return namers.some((namer) => isNeeded(namer, blob, known)) ? null : redaction.by;
}

async function readThrough<Result>(
  context: Context,
  source: Source,
  body: (pieces: AsyncIterable<Uint8Array>) => Promise<Result>,
): Promise<Result> {
  const progress = new Progress(context, 'bytes');
  async function* counting(): AsyncGenerator<Uint8Array> {
    let done = 0;
    for await (const piece of source.bytes) {
      done += piece.byteLength;
      if (done > mostBytes) throw tooMuch(source.name);
      yield piece;
      await progress.update({ done, of: source.totalBytes });
    }
  }
  try {
    return await body(counting());
  } finally {
    await progress.end();
  }
}

/** Of the ledger at hand; null where there is none. */
async function withRedactions<Result>(
  context: Context,
  body: (ledger: Ledger | null, known: KnownRedactions) => Promise<Result>,
): Promise<Result> {
  const { url } = findPlace(context.session).ledger;
  const onWait = noticingWaits(context.session);
  if (!(await isLedgerThere(url, { onWait }))) return await body(null, new KnownRedactions());
  const ledger = await openLedger(url, { readOnly: true, onWait });
  try {
    return await body(ledger, await new Redactions(ledger).look());
  } finally {
    await ledger.close();
  }
}

async function tell(context: Context, { blob, bytes, erased }: BlobPut): Promise<void> {
  await context.print(`${blob}  ${counted(bytes, 'byte')}\n`);
  await context.print(`in an event: ${JSON.stringify({ blob, bytes })}\n`);
  if (erased === null) return;
  await context.say(`it was redacted, and was not kept: see ${visible(erased)}; --restore keeps it all the same`);
}

export async function getBlob(context: Context, digest: string): Promise<number> {
  if (context.flags.json) {
    throw new IcecoreError('usage', 'blob get prints the bytes as they are: there is no --json of it', {
      facts: { field: '--json' },
      remedy: 'Leave --json out.',
    });
  }
  const { stdout } = context.io;
  const onTerminal = new TextDecoder();
  return await withBlobs(blobsUrl(context.session), { readOnly: true }, async (blobs) => {
    for await (const piece of blobs.read(digest)) {
      context.signal.throwIfAborted();
      // What a program takes are the bytes; a terminal must not be steered by them.
      await stdout.write(stdout.isTTY ? visibleLines(onTerminal.decode(piece, { stream: true })) : piece);
    }
    return 0;
  });
}
