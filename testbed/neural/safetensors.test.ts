import fc from 'fast-check';
import { expect, it } from 'vitest';
import { decode, encode, NotSafetensors } from './checkpoint.ts';

const names = fc.stringMatching(/^[a-z.]{1,12}$/);
const tensors = fc.uniqueArray(
  fc.record({ name: names, values: fc.float32Array({ maxLength: 20, noNaN: true }) }).map(({ name, values }) => ({
    name,
    shape: [values.length],
    values,
  })),
  { selector: ({ name }) => name },
);
const metadata = fc.dictionary(names, fc.string());

it('metadata and numbers survive a round trip', () => {
  fc.assert(
    fc.property(tensors, metadata, (tensors, metadata) => {
      const read = decode(encode({ tensors, metadata }));
      expect(read.tensors).toEqual(tensors);
      expect({ ...read.metadata }).toEqual({ ...metadata });
    }),
  );
});

it('numbers start at a multiple of 8', () => {
  fc.assert(
    fc.property(tensors, metadata, (tensors, metadata) => {
      const file = encode({ tensors, metadata });
      expect((8 + Number(new DataView(file.buffer).getBigUint64(0, true))) % 8).toBe(0);
    }),
  );
});

it('a truncated file and other formats are refused', () => {
  const file = encode({
    tensors: [{ name: 'a', shape: [2, 2], values: Float32Array.of(1, 2, 3, 4) }],
    metadata: { of: 'x' },
  });
  for (let length = 0; length < file.length; length++) {
    expect(() => decode(file.subarray(0, length))).toThrow(NotSafetensors);
  }
  expect(() => decode(new TextEncoder().encode('PK this is a zip file, or so it says'))).toThrow(NotSafetensors);
});
