// A separate process that puts blobs, some small and some large, and sends their digests.
import { openBlobs } from '../open.ts';
import { KiB, noise, prose } from './samples.ts';

const [url = '', count = '0'] = process.argv.slice(2);
const blobs = await openBlobs(url);
const sources = Array.from({ length: Number(count) }, (_, index) =>
  index % 10 === 0 ? noise(300 * KiB, `large ${index}`) : prose(KiB, `small ${index}`),
);
const references = await blobs.putAll(sources);
await blobs.close();
process.send?.(references.map((reference) => reference.digest));
process.disconnect?.();
