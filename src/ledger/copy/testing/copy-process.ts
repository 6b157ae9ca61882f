// A separate process that copies a ledger with its blobs, to be killed. It announces each step with a line of one word before it
// continues; at the end, it prints the result as one line of JSON. `copy-process.ts FROM TO`

import { openBlobsIfThere } from '../../blobs/open.ts';
import { blobsBeside } from '../../local-paths.ts';
import { openLedger } from '../../open.ts';
import { type BlobSink, BlobTarget } from '../blob-copy.ts';
import { type Copied, copyLedger } from '../copy.ts';

const [, , fromUrl = '', toUrl = ''] = process.argv;

/** A sink that announces every blob before it is put and when it is stored. */
function telling(sink: BlobSink): BlobSink {
  return {
    has: (blob) => sink.has(blob),
    erase: (blob) => sink.erase(blob),
    put: async (bytes) => {
      say('putting');
      await sink.put(bytes);
      say('put');
    },
  };
}

function say(what: string): void {
  process.stdout.write(`${what}\n`);
}

async function copy(): Promise<Copied> {
  const from = await openLedger(fromUrl, { readOnly: true });
  say('making');
  const to = await openLedger(toUrl, { create: true, createAs: from.id });
  const fromBlobs = await openBlobsIfThere(blobsBeside(fromUrl));
  const toBlobs = await BlobTarget.at(blobsBeside(toUrl));
  try {
    const places = { from, to, fromBlobs, toBlobs: telling(toBlobs) };
    return await copyLedger(places, { run: null, onProgress: async ({ doing }) => say(doing) });
  } finally {
    for (const one of [toBlobs, fromBlobs, to, from]) await one?.close();
  }
}

const outcome = await copy().catch(({ name, kind, message }) => ({ name, kind, message }));
say(JSON.stringify(outcome));
