// What `icecore blob` prints.
import { IcecoreError } from '../../../schemas/errors.ts';
import { escapeControls, escapeControlsInLines } from '../../base/escape.ts';
import { counted } from '../../base/quantity.ts';
import { blob as bytesOf, type PutBlobOptions, putBlob as storeBlob } from '../../library/blobs.ts';
import { inputOf } from '../../library/plugins/source.ts';
import type { Context } from '../context.ts';

export async function putBlob(context: Context, file: string, options: PutBlobOptions): Promise<number> {
  const put = await storeBlob(context.session, await inputOf(context, file, 'the bytes to store'), options);
  const { blob, bytes, erased } = put;
  if (context.flags.json) await context.printJson(put);
  else {
    await context.print(`${blob}  ${counted(bytes, 'byte')}\n`);
    await context.print(`in an event: ${JSON.stringify({ blob, bytes })}\n`);
    if (erased !== null)
      await context.say(`it was redacted and not stored: see ${escapeControls(erased)}; --restore stores it anyway`);
  }
  return erased === null ? 0 : 1;
}

export async function getBlob(context: Context, digest: string): Promise<number> {
  if (context.flags.json) {
    throw new IcecoreError('usage', 'blob get prints bytes and has no --json', {
      facts: { field: '--json' },
      remedy: 'Leave --json out.',
    });
  }
  const { stdout } = context.io;
  const onTerminal = new TextDecoder();
  for await (const piece of bytesOf(context.session, digest)) {
    // Programs get the exact bytes; a terminal must not be steered by them.
    await stdout.write(stdout.isTTY ? escapeControlsInLines(onTerminal.decode(piece, { stream: true })) : piece);
  }
  return 0;
}
