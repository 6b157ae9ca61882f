// Puts a small and a large blob into a new store and erases one, under the recorder; prints the record.
import { noise } from '../contract/samples.ts';
import { openBlobs } from '../open.ts';

const { recorded } = globalThis as unknown as { recorded: string[] };
const blobs = await openBlobs(`folder:${process.argv[2]}`, { create: true });
const made = recorded.splice(0);
await blobs.put('small');
const small = recorded.splice(0);
await blobs.put(noise(400_000));
const large = recorded.splice(0);
const { digest } = await blobs.put('small');
const again = recorded.splice(0);
await blobs.erase(digest);
const erased = recorded.splice(0);
await blobs.close();
console.log(JSON.stringify({ made, small, large, again, erased }));
