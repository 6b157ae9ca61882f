// Batches of a few bytes that unpack to more than memory holds.
import { describe, expect, it } from 'vitest';
import { crc32c } from '../kafkajs/parts.ts';
import { codecOf, mostUnpackedBytes } from './codecs.ts';
import { batchesIn, recordsOf } from './decode.ts';
import { packBatch, sign } from './encode.ts';

const found = { topic: 'topic', partition: 3 };

describe.each(['gzip', 'zstd'] as const)('a batch in %s', (name) => {
  it('is unpacked up to the limit, and not beyond', async () => {
    const codec = codecOf(name);
    const within = await codec.compress(Buffer.alloc(mostUnpackedBytes));
    expect((await codec.decompress(within)).length).toBe(mostUnpackedBytes);
    const beyond = await codec.compress(Buffer.alloc(mostUnpackedBytes + 1));
    await expect(codec.decompress(beyond)).rejects.toMatchObject({ code: 'ERR_BUFFER_TOO_LARGE' });
  });

  it('is refused by name where it would unpack to more', async () => {
    const value = 'a'.repeat(mostUnpackedBytes);
    const batch = await packBatch([{ key: '', value, headers: {}, timestamp: 5 }], name);
    sign(batch, { producerId: 1n, epoch: 0, sequence: 0 }, crc32c);
    const [one] = [...batchesIn(batch.bytes, found)];
    if (one === undefined) throw new Error('no batch');
    await expect(recordsOf(one, found)).rejects.toMatchObject({
      name: 'BatchUnreadable',
      message: expect.stringContaining(`unpacks to more than ${mostUnpackedBytes} bytes`),
    });
  });
});
