// Puts and reads a blob far larger than its memory limit; prints the memory it used.
import { MiB, noise } from '../contract/samples.ts';
import { openBlobs } from '../open.ts';

const pieces = 768;
const blobs = await openBlobs(process.argv[2] ?? '');
const peak = (): number => process.resourceUsage().maxRSS / 1024;
const before = peak();

async function* checkpoint(): AsyncGenerator<Uint8Array> {
  const piece = noise(MiB);
  for (let index = 0; index < pieces; index++) {
    piece.writeUInt32LE(index);
    yield piece;
  }
}

const { digest, bytes: putBytes } = await blobs.put(checkpoint());
let readBytes = 0;
for await (const piece of blobs.read(digest)) readBytes += piece.byteLength;
console.log(JSON.stringify({ putBytes, readBytes, grownMiB: Math.round(peak() - before) }));
