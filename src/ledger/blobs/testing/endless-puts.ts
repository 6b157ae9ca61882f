// Puts blobs until it is killed, some small and some large, several at a time, and sends each digest once it is acknowledged.
import { noise, prose } from '../contract/samples.ts';
import { openBlobs } from '../open.ts';

const blobs = await openBlobs(process.argv[2] ?? '');
let next = 0;

async function putForever(): Promise<never> {
  for (;;) {
    const index = next++;
    const { digest } = await blobs.put(index % 20 === 7 ? noise(300_000, `${index}`) : prose(2000, `${index}`));
    process.send?.(digest);
  }
}

await Promise.all([putForever(), putForever(), putForever(), putForever()]);
