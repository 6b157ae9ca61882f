import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromAscii } from './ascii.ts';
import { NotAnInstance } from './instance.ts';
import { bytesOf, fromBytes } from './line.ts';
import { instances } from './testing/arbitraries.ts';

const instance = fromAscii(['a. .. .B', '## .. ..', 'b. ## .A'].join('\n'));
const good = [1, 3, 2, 0b10001000, 0, 0, 8, 6, 2];

describe('the bytes of an instance', () => {
  it('are version, size, number of agents, holes by bit, starts and goals', () => {
    expect([...bytesOf(instance)]).toEqual(good);
    expect(fromBytes(Uint8Array.from(good))).toEqual(instance);
  });

  it('give every instance back', () => {
    fc.assert(
      fc.property(instances({ hasId: false }), (instance) => {
        expect(fromBytes(bytesOf(instance))).toEqual(instance);
      }),
    );
  });

  it('take one byte a cell up to 16 x 16, where the last cell is 255, and two beyond', () => {
    const corners = (size: number) => ({
      size,
      holes: new Uint8Array(size ** 2),
      agents: [{ start: size ** 2 - 1, goal: size ** 2 - 2 }],
    });
    expect(bytesOf(corners(16))).toHaveLength(3 + 32 + 2);
    expect([...bytesOf(corners(17)).slice(-4)]).toEqual([1, 32, 1, 31]);
    for (const size of [16, 17, 32]) expect(fromBytes(bytesOf(corners(size)))).toEqual(corners(size));
  });

  it('are read from the middle of others', () => {
    expect(fromBytes(Uint8Array.from([9, ...good, 9]).subarray(1, -1))).toEqual(instance);
  });
});

const changed = (at: number, byte: number): number[] => good.with(at, byte);

const refusals: readonly (readonly [what: string, bytes: number[], field: string, found: string, allowed: string])[] = [
  ['nothing', [], 'byte 0', 'nothing', 'the version of this form, 1'],
  ['a text', [...Buffer.from('{"size": 3}')], 'byte 0', '123', 'the version of this form, 1'],
  ['another version', changed(0, 2), 'byte 0', '2', 'the version of this form, 1'],
  ['one byte', [1], 'byte 1', 'nothing', 'a size, from 3 to 32'],
  ['a size too small', changed(1, 2), 'byte 1', '2', 'a size, from 3 to 32'],
  ['a size too large', changed(1, 33), 'byte 1', '33', 'a size, from 3 to 32'],
  ['no agents', changed(2, 0), 'byte 2', '0', 'a number of agents, from 1 to 26'],
  ['too many agents', changed(2, 27), 'byte 2', '27', 'a number of agents, from 1 to 26'],
  ['a byte missing', good.slice(0, -1), '', '8 bytes', '9 bytes, for size 3 and number of agents 2'],
  ['a byte more', [...good, 0], '', '10 bytes', '9 bytes, for size 3 and number of agents 2'],
  ['a hole beyond the last cell', changed(4, 2), 'byte 4', 'a hole beyond the last cell', 'none'],
  ['a start off the grid', changed(5, 9), 'agents[0].start', 'cell 9', 'a cell from 0 to 8'],
  ['a goal off the grid', changed(8, 255), 'agents[1].goal', 'cell 255', 'a cell from 0 to 8'],
  ['a start on a hole', changed(5, 3), 'agents[0].start', '[1, 0], a hole', 'a cell without a hole'],
  [
    'two agents on a start',
    changed(7, 0),
    'agents[1].start',
    '[0, 0], as agents[0].start',
    'a cell of its own for every agent',
  ],
];

describe('bytes are refused by name of the place, with', () => {
  it.each(refusals)('%s', (_, bytes, field, found, allowed) => {
    expect(refusalOf(Uint8Array.from(bytes))).toMatchObject({ kind: 'bad-input', facts: { field, found, allowed } });
  });

  it('an end too early or bytes more, wherever they were torn', () => {
    fc.assert(
      fc.property(instances({ hasId: false }), fc.nat(), fc.uint8Array({ minLength: 1 }), (instance, at, more) => {
        const bytes = bytesOf(instance);
        expect(refusalOf(bytes.subarray(0, at % bytes.length))).toBeInstanceOf(NotAnInstance);
        expect(refusalOf(Uint8Array.from([...bytes, ...more]))).toBeInstanceOf(NotAnInstance);
      }),
    );
  });

  it('whatever they may be: what is taken is what those bytes say', () => {
    const anything = fc.oneof(
      fc.uint8Array(),
      fc
        .tuple(instances({ hasId: false, largest: 5 }), fc.nat(), fc.nat(255))
        .map(([instance, at, byte]) => bytesOf(instance).with(at % bytesOf(instance).length, byte)),
    );
    fc.assert(
      fc.property(anything, (bytes) => {
        try {
          expect(bytesOf(fromBytes(bytes))).toEqual(bytes);
        } catch (error) {
          expect(error).toBeInstanceOf(NotAnInstance);
        }
      }),
      { numRuns: 1000 },
    );
  });
});

function refusalOf(bytes: Uint8Array): NotAnInstance {
  try {
    fromBytes(bytes);
  } catch (error) {
    if (error instanceof NotAnInstance) return error;
    throw error;
  }
  throw new Error('they were taken');
}
