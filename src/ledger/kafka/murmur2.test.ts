import { createRequire } from 'node:module';
import { murmur2 as platformatic } from '@platformatic/kafka';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { murmur2 } from './murmur2.ts';

const kafkajs: (key: Buffer) => number = createRequire(import.meta.url)(
  'kafkajs/src/producer/partitioners/default/murmur2.js',
);

/** Java's own answers, from the tests of Kafka's own client. */
const known: readonly (readonly [string, number])[] = [
  ['21', -973932308],
  ['foobar', -790332482],
  ['a-little-bit-long-string', -985981536],
  ['a-little-bit-longer-string', -1486304829],
  ['lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8', -58897971],
  ['abc', 479470107],
];

describe('the hash of a key', () => {
  it.each(known)('of "%s" is %i', (key, hash) => {
    expect(murmur2(Buffer.from(key))).toBe(hash);
  });

  it('is that of both clients, whatever the bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
        const key = Buffer.from(bytes);
        expect(murmur2(key)).toBe(kafkajs(key));
        expect(murmur2(key)).toBe(platformatic(key));
      }),
      { numRuns: 1000 },
    );
  });
});
