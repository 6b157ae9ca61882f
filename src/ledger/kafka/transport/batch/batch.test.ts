import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { crc32c } from '../kafkajs/parts.ts';
import { compressions, type OutgoingRecord } from '../transport.ts';
import { batchesIn, codecOf, recordsOf } from './decode.ts';
import { packBatch, sign } from './encode.ts';
import { at, headBytes } from './layout.ts';

const found = { topic: 'topic', partition: 3 };
const origin = { producerId: 2n ** 40n, epoch: 7, sequence: 1_000_000 };

const anyRecord: fc.Arbitrary<OutgoingRecord> = fc.record({
  key: fc.string({ unit: 'binary' }),
  value: fc.string({ unit: 'binary', maxLength: 200 }),
  headers: fc.dictionary(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' })),
  timestamp: fc.nat({ max: 2 ** 48 }),
});

async function packed(records: readonly OutgoingRecord[], firstOffset = 0): Promise<Buffer> {
  const batch = await packBatch(records, 'none');
  sign(batch, origin, crc32c);
  batch.bytes.writeBigInt64BE(BigInt(firstOffset), at.firstOffset);
  return batch.bytes;
}

async function unpacked(bytes: Buffer): Promise<OutgoingRecord[]> {
  const batches = await Promise.all([...batchesIn(bytes, found)].map((batch) => recordsOf(batch, found)));
  return batches
    .flatMap((records) => records ?? [])
    .map(({ key, value, headers, timestamp }) => ({
      key: `${key}`,
      value: `${value}`,
      headers: Object.fromEntries([...headers].map(([name, text]) => [name, `${text}`])),
      timestamp,
    }));
}

const simple = (value: string): OutgoingRecord => ({ key: '', value, headers: {}, timestamp: 5 });

describe('a batch', () => {
  it.each(compressions)('has in it what was put in: %s', async (compression) => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyRecord, { minLength: 1, maxLength: 20 }), async (records) => {
        const batch = await packBatch(records, compression);
        expect(await unpacked(batch.bytes)).toEqual(
          records.map((record) => ({ ...record, headers: { ...record.headers } })),
        );
      }),
      { numRuns: 50 },
    );
  });

  it('grows with its records', async () => {
    const records = Array.from({ length: 300 }, (_, index) => simple(`${index}`.repeat(1_000)));
    expect(await unpacked(await packed(records))).toEqual(records);
  });

  it('says in its head what times it spans, who sent it, and what its bytes add up to', async () => {
    const bytes = await packed([9, 1_000, 10].map((timestamp) => ({ ...simple('timed'), timestamp })));
    expect(bytes.readBigInt64BE(at.firstTimestamp)).toBe(9n);
    expect(bytes.readBigInt64BE(at.lastTimestamp)).toBe(1_000n);
    expect(bytes.readInt32BE(at.lastOffsetDelta)).toBe(2);
    expect(bytes.readBigInt64BE(at.producerId)).toBe(origin.producerId);
    expect(bytes.readInt16BE(at.producerEpoch)).toBe(origin.epoch);
    expect(bytes.readInt32BE(at.firstSequence)).toBe(origin.sequence);
    expect(bytes.readUInt32BE(at.checksum)).toBe(crc32c(bytes.subarray(at.attributes)));
  });
});

describe('an answer', () => {
  it('has batches one behind the other, of which the last may be cut off anywhere', async () => {
    const [one, other] = [await packed([simple('a'), simple('b')], 10), await packed([simple('c')], 2 ** 40)];
    const bytes = Buffer.concat([one, other]);
    expect([...batchesIn(bytes, found)]).toMatchObject([
      { firstOffset: 10, lastOffset: 11 },
      { firstOffset: 2 ** 40, lastOffset: 2 ** 40 },
    ]);
    for (let length = 0; length < bytes.length; length++)
      expect([...batchesIn(bytes.subarray(0, length), found)]).toHaveLength(length < one.length ? 0 : 1);
  });

  it('is not read in a format from before Kafka 0.11', async () => {
    const bytes = await packed([simple('a')], 10);
    bytes.writeInt8(1, at.magic);
    expect(() => [...batchesIn(bytes, found)]).toThrow(/topic\/3: the batch at offset 10 .* its format is 1/);
  });

  it('is not read where it does not unpack', async () => {
    for (const [codec, message] of [
      [1, /does not unpack as gzip/],
      [4, /does not unpack as zstd/],
    ] as const) {
      const bytes = await packed([simple('a')]);
      bytes.writeInt16BE(codec, at.attributes);
      await expect(unpacked(bytes)).rejects.toThrow(message);
    }
  });

  it.each([
    [2, 'snappy'],
    [3, 'lz4'],
    [6, 'codec 6'],
  ])('is left packed in a codec that nobody knows, and that is named: %d', async (codec, name) => {
    const bytes = await packed([simple('a')]);
    bytes.writeInt16BE(codec, at.attributes);
    const [batch] = batchesIn(bytes, found);
    expect(batch === undefined ? [] : await recordsOf(batch, found)).toBeNull();
    expect(batch === undefined ? '' : codecOf(batch)).toBe(name);
  });

  it('is not read beyond its end', async () => {
    const tooMany = await packed([simple('a')]);
    tooMany.writeInt32BE(2, at.count);
    await expect(unpacked(tooMany)).rejects.toThrow(/its records break off/);
    const tooLong = await packed([simple('a')]);
    tooLong.writeInt8(100, headBytes);
    await expect(unpacked(tooLong)).rejects.toThrow(/its records break off/);
  });
});
