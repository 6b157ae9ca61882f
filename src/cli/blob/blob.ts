// What `icecore blob` does.
import { IcecoreError } from '../../../schemas/errors.ts';
import type { BlobPut } from '../../../schemas/output.ts';
import type { BlobReference, Blobs } from '../../ledger/blobs/blobs.ts';
import { Erasures } from '../../ledger/erasures.ts';
import { isLedgerThere, openLedger } from '../../ledger/open.ts';
import { blobsUrl, withBlobs } from '../blobs.ts';
import type { Context } from '../context.ts';
import { ensureHomeFor, findPlace } from '../home.ts';
import { Progress } from '../output/progress.ts';
import { counted } from '../output/quantity.ts';
import { visible, visibleLines } from '../output/visible.ts';
import { openSource } from '../source.ts';
import { sayingWaits } from '../waiting.ts';

export async function putBlob(context: Context, file: string): Promise<number> {
  const place = findPlace(context.io, context.flags);
  const source = await openSource(context, file, place.ledger.files, 'what to store');
  const hasMadeHome = ensureHomeFor(place);
  const put = await withBlobs(blobsUrl(context), { create: true }, async (blobs): Promise<BlobPut> => {
    const { digest, bytes } = await store(context, blobs, source);
    const erased = await erasedBy(context, digest);
    if (erased !== null) await blobs.erase(digest);
    return { store: blobs.url, blob: digest, bytes, erased };
  });
  if (context.flags.json) await context.printJson(put);
  else await tell(context, put);
  if (hasMadeHome) await context.say(`made ${place.home.path}`);
  return 0;
}

async function store(
  context: Context,
  blobs: Blobs,
  source: Awaited<ReturnType<typeof openSource>>,
): Promise<BlobReference> {
  const progress = new Progress(context, 'bytes');
  async function* told(): AsyncGenerator<Uint8Array> {
    let done = 0;
    for await (const piece of source.bytes) {
      yield piece;
      done += piece.byteLength;
      await progress.update({ done, of: source.totalBytes });
    }
  }
  try {
    return await blobs.put(told());
  } finally {
    source.close();
    await progress.end();
  }
}

/** The Redacted event that says so, in the ledger at hand; null where none does. */
async function erasedBy(context: Context, digest: string): Promise<string | null> {
  const { url } = findPlace(context.io, context.flags).ledger;
  const onWait = sayingWaits(context);
  if (!(await isLedgerThere(url, { onWait }))) return null;
  const ledger = await openLedger(url, { readOnly: true, onWait });
  try {
    return (await new Erasures(ledger).look()).get(digest) ?? null;
  } finally {
    await ledger.close();
  }
}

async function tell(context: Context, { blob, bytes, erased }: BlobPut): Promise<void> {
  await context.print(`${blob}  ${counted(bytes, 'byte')}\n`);
  await context.print(`in an event: ${JSON.stringify({ blob, bytes })}\n`);
  if (erased !== null) await context.say(`it was erased before, and was not kept: see ${visible(erased)}`);
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
  return await withBlobs(blobsUrl(context), { readOnly: true }, async (blobs) => {
    for await (const piece of blobs.read(digest)) {
      context.signal.throwIfAborted();
      // What a program takes are the bytes; a terminal must not be steered by them.
      await stdout.write(stdout.isTTY ? visibleLines(onTerminal.decode(piece, { stream: true })) : piece);
    }
    return 0;
  });
}
