// Files with false headers: decoding returns tensors that the file really contains, or throws NotSafetensors, and never needs more memory
// than the size of the file.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decode, encode, NotSafetensors } from './checkpoint.ts';

const sound = encode({
  tensors: [
    { name: 'policy.weight', shape: [2, 3], values: Float32Array.of(1, 2, 3, 4, 5, 6) },
    { name: 'policy.bias', shape: [3], values: Float32Array.of(7, 8, 9) },
    { name: 'none', shape: [0], values: new Float32Array() },
  ],
  metadata: { architecture: 'a', update: '7' },
});

/** A file with this header and this number of bytes. */
function file(header: string | Uint8Array, bytes = 16, claimed?: bigint): Uint8Array {
  const head = Buffer.from(header);
  const whole = Buffer.alloc(8 + head.length + bytes);
  whole.writeBigUInt64LE(claimed ?? BigInt(head.length));
  whole.set(head, 8);
  return whole;
}

const tensor = (shape: string, offsets: string): string => `{"dtype":"F32","shape":${shape},"data_offsets":${offsets}}`;
const whole = tensor('[4]', '[0,16]');

describe('a header', () => {
  it.each<[string, Uint8Array, RegExp]>([
    ['claims more bytes than there are', file(`{"a":${tensor('[268435456]', '[0,1073741824]')}}`), /1073741824 bytes/],
    ['claims 2^60 bytes', file(`{"a":${tensor(`[${2 ** 58}]`, `[0,${2 ** 60}]`)}}`), /without shape or offsets/],
    ['is longer than any file', file('{}', 0, 2n ** 64n - 1n), /a header of 18446744073709552000 bytes/],
    [
      'has sides whose product overflows',
      file(`{"a":${tensor('[9007199254740991,9007199254740991]', '[0,16]')}}`),
      /16/,
    ],
    ['has a negative side', file(`{"a":${tensor('[-4]', '[16,0]')}}`), /without shape or offsets/],
    ['has equal ranges', file(`{"a":${whole},"b":${whole}}`), /"b" from byte 0, allowed: 16/],
    ['has overlapping ranges', file(`{"a":${tensor('[3]', '[0,12]')},"b":${tensor('[2]', '[8,16]')}}`), /byte 8/],
    ['leaves bytes out', file(`{"a":${tensor('[1]', '[0,4]')},"b":${tensor('[2]', '[8,16]')}}`), /byte 8, allowed: 4/],
    ['leaves bytes over', file(`{"a":${tensor('[1]', '[0,4]')}}`), /4 bytes, allowed: the 16/],
    [
      'has a name twice, of two tensors',
      file(`{"a":${tensor('[2]', '[0,8]')},"a":${tensor('[2]', '[8,16]')}}`),
      /byte 8/,
    ],
    ['has numeric metadata', file(`{"__metadata__":{"update":7},"a":${whole}}`), /"update": 7, allowed: a text/],
    ['has metadata that is a list', file(`{"__metadata__":["x"],"a":${whole}}`), /__metadata__: object/],
    ['has a tensor that is null', file(`{"a":null}`, 0), /"a" of type undefined/],
    [
      'has a type as deep as can be',
      file(`{"a":{"dtype":${'['.repeat(400_000)}${']'.repeat(400_000)}}}`),
      /type object/,
    ],
    ['has a name as long as can be', file(`{"${'a'.repeat(900_000)}":null}`), /^.{0,250}$/],
    [
      'is not UTF-8',
      file(Buffer.concat([Buffer.from('{"a'), Buffer.of(0xff), Buffer.from(`":${whole}}`)])),
      /not JSON/,
    ],
    ['is a list', file('[]', 0), /not an object/],
    ['is nothing', file('', 0), /not JSON/],
  ])('that %s is refused', (_, bytes, says) => {
    expect(() => decode(bytes)).toThrow(NotSafetensors);
    expect(() => decode(bytes)).toThrow(says);
  });

  it('may name tensors in any order, and have null as metadata', () => {
    const mixed = file(`{"__metadata__":null,"b":${tensor('[2]', '[8,16]')},"a":${tensor('[2]', '[0,8]')}}`);
    expect(decode(mixed)).toEqual({
      tensors: ['b', 'a'].map((name) => ({ name, shape: [2], values: new Float32Array(2) })),
      metadata: {},
    });
  });

  it('that reuses the same bytes many times takes no memory', () => {
    const values = 2 ** 20;
    const many = Array.from({ length: 100 }, (_, i) => `"${i}":${tensor(`[${values}]`, `[0,${4 * values}]`)}`);
    const liar = file(`{${many.join()}}`, 4 * values);
    const before = process.memoryUsage().arrayBuffers;
    expect(() => decode(liar)).toThrow(NotSafetensors);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(2 ** 24);
  });
});

it('any change, cut or insertion gives the numbers of the file or an error', () => {
  const harm = fc.record({ at: fc.nat(sound.length), remove: fc.nat(3), put: fc.uint8Array({ maxLength: 3 }) });
  const near = fc.constantFrom(...'0123456789[]{}",:-.eE').map((letter) => Uint8Array.of(letter.charCodeAt(0)));
  const letter = fc.record({ at: fc.nat(sound.length), remove: fc.nat(1), put: near });
  fc.assert(
    fc.property(fc.array(fc.oneof(harm, letter), { minLength: 1, maxLength: 3 }), (harms) => {
      let bytes = Buffer.from(sound);
      for (const { at, remove, put } of harms) {
        bytes = Buffer.concat([bytes.subarray(0, at), put, bytes.subarray(at + remove)]);
      }
      const length = bytes.length < 8 ? 0 : Number(bytes.readBigUInt64LE());
      try {
        const { tensors, metadata } = decode(bytes);
        const numbers = tensors.reduce((sum, { values }) => sum + values.byteLength, 0);
        expect(numbers).toBe(bytes.length - 8 - length);
        for (const { shape, values } of tensors) expect(shape.reduce((a, b) => a * b, 1)).toBe(values.length);
        expect(Object.values(metadata).every((word) => typeof word === 'string')).toBe(true);
      } catch (error) {
        expect(error).toBeInstanceOf(NotSafetensors);
      }
    }),
    { numRuns: 3000 },
  );
});

it('every flipped bit of a header gives the same numbers or an error', () => {
  const header = 8 + Number(new DataView(sound.buffer).getBigUint64(0, true));
  const numbers = sound.subarray(header);
  let taken = 0;
  for (let bit = 0; bit < 8 * header; bit++) {
    const bytes = Uint8Array.from(sound);
    bytes[bit >> 3] = (bytes[bit >> 3] as number) ^ (1 << (bit & 7));
    try {
      const { tensors } = decode(bytes);
      const again = encode({ tensors, metadata: {} });
      expect(again.subarray(again.length - numbers.length)).toEqual(numbers);
      taken += 1;
    } catch (error) {
      expect(error).toBeInstanceOf(NotSafetensors);
    }
  }
  expect(taken).toBeGreaterThan(0);
});
