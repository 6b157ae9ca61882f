// Runs on a disk of a few megabytes: puts until the disk is full, frees space, puts the same again. Prints what happened.
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { digestsIn, noise, trickle } from '../contract/samples.ts';
import { openBlobs } from '../open.ts';

const [folder = '.', size = '0'] = process.argv.slice(2);
const bytes = Number(size);
const ballast = join(folder, 'ballast');
writeFileSync(ballast, Buffer.alloc(2 * 1024 * 1024));
const store = join(folder, 'store');
const blobs = await openBlobs(`folder:${store}`, { create: true });

let stored = 0;
let refusal: unknown;
while (refusal === undefined && stored < 10_000) {
  try {
    await blobs.put(trickle(noise(bytes, `${stored}`)));
    stored++;
  } catch (error) {
    refusal = error;
  }
}
const { name, kind, message } = refusal as { name: string; kind: string; message: string };
const whenFull = (await digestsIn(blobs)).length;
const left = readdirSync(join(store, 'incoming')).length;
rmSync(ballast);
const { digest } = await blobs.put(noise(bytes, `${stored}`));
await blobs.get(digest);
console.log(JSON.stringify({ name, kind, message, left, stored, whenFull }));
