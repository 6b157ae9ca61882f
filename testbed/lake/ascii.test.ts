import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { asciiOf, fromAscii } from './ascii.ts';
import { NotAnInstance } from './instance.ts';
import { instanceOf } from './line.ts';
import { instances } from './testing/arbitraries.ts';

const drawn = ['a. .. .B ..', '.. ## .. ..', 'bA .. cC ..', '.. .. .. ##'];
const instance = instanceOf({
  size: 4,
  holes: [
    [1, 1],
    [3, 3],
  ],
  agents: [
    { start: [0, 0], goal: [2, 0] },
    { start: [2, 0], goal: [0, 2] },
    { start: [2, 2], goal: [2, 2] },
  ],
});

describe('a drawing in letters', () => {
  it('shows holes, starts and goals where they are', () => {
    expect(asciiOf(instance)).toBe(drawn.join('\n'));
    expect(fromAscii(drawn.join('\n'))).toEqual(instance);
  });

  it('round-trips every instance and every drawing', () => {
    fc.assert(
      fc.property(instances({ hasId: false }), (instance) => {
        const drawing = asciiOf(instance);
        expect(fromAscii(drawing)).toEqual(instance);
        expect(asciiOf(fromAscii(drawing))).toBe(drawing);
      }),
    );
  });

  it('may have empty lines around it, trailing spaces, and Windows line ends', () => {
    expect(fromAscii(`\n  \n${drawn.join('  \r\n')}\r\n\r\n`)).toEqual(instance);
  });
});

const free = '.. .. ..';
const startOrFree = '".", "#" or the lower-case letter of a start';
const goalOrFree = '"." or the upper-case letter of a goal';
const square = 'as many rows as columns, from 3 to 32';

const refusals: readonly (readonly [what: string, lines: string[], field: string, found: string, allowed: string])[] = [
  ['nothing', [''], '', '0 rows and 0 columns', square],
  ['an unknown character', ['a. .. .A', '.. x? ..', free], 'line 2, column 5', '"?"', goalOrFree],
  ['an unknown character of two UTF-16 units', ['a. 😀. .A', free, free], 'line 1, column 4', '"😀"', startOrFree],
  ['a goal in the place of a start', ['a. A. ..', free, free], 'line 1, column 4', '"A"', startOrFree],
  ['a start in the place of a goal', ['.a .. .A', free, free], 'line 1, column 2', '"a"', goalOrFree],
  ['half a hole', ['#. a. .A', free, free], 'line 1, column 2', '"."', '"#" next to a "#"'],
  ['the other half', ['.# a. .A', free, free], 'line 1, column 2', '"#"', goalOrFree],
  ['a goal on a hole', ['a. #A ..', free, free], 'line 1, column 5', '"A"', '"#" next to a "#"'],
  ['cells without a space', ['a. ...A', free, free], 'line 1, column 6', '"."', 'a space between cells'],
  ['a tab between cells', ['a.\t.. .A', free, free], 'line 1, column 3', '"\\t"', 'a space between cells'],
  ['indented lines', [' a. .. .A', free, free], 'line 1, column 1', '" "', startOrFree],
  ['a row that breaks off', ['a. .. .A', '.. .. .', free], 'line 2, column 8', 'nothing', goalOrFree],
  ['an empty line within', ['a. .. .A', '', free, free], 'line 2, column 1', 'nothing', startOrFree],
  ['a longer row', ['a. .. .A', '.. .. .. ..', free], 'line 2', '4 cells', '3 cells, as in line 1'],
  ['a shorter row', ['a. .. .A', free, '.. ..'], 'line 3', '2 cells', '3 cells, as in line 1'],
  ['too few rows', ['a. .. .A', free], '', '2 rows and 3 columns', square],
  ['too small a grid', ['a. .A', '.. ..'], '', '2 rows and 2 columns', square],
  ['too large a grid', Array(33).fill(Array(33).fill('..').join(' ')), '', '33 rows and 33 columns', square],
  ['no agents', [free, free, free], '', 'no agents', '1 to 26: the letters "a" and "A" are the first'],
  [
    'a start twice',
    ['a. .. .A', free, '.. .. a.'],
    'line 3, column 7',
    '"a" again, after line 1, column 1',
    'every letter once',
  ],
  [
    'a goal twice',
    ['a. .. .A', free, '.. .. .A'],
    'line 3, column 8',
    '"A" again, after line 1, column 8',
    'every letter once',
  ],
  [
    'a start without a goal',
    ['a. .. .A', '.. b. ..', free],
    'line 2, column 4',
    '"b" without "B"',
    'a goal for every start',
  ],
  [
    'a goal without a start',
    ['a. .. .A', '.. .B ..', free],
    'line 2, column 5',
    '"B" without "b"',
    'a start for every goal',
  ],
  [
    'a gap between letters',
    ['a. .. .A', '.. d. .D', '.. c. .C'],
    'line 3, column 4',
    '"c" without "b"',
    'letters without a gap',
  ],
  ['letters from the middle', [free, '.. c. .C', free], 'line 2, column 4', '"c" without "a"', 'letters without a gap'],
  ['a gap between goals', ['.. .. .B', free, free], 'line 1, column 8', '"B" without "A"', 'letters without a gap'],
];

describe('a drawing is refused with the position, for', () => {
  it.each(refusals)('%s', (_, lines, field, found, allowed) => {
    expect(refusalOf(lines.join('\n'))).toMatchObject({ kind: 'bad-input', facts: { field, found, allowed } });
  });

  it('line numbers that count from the first line of the text', () => {
    expect(refusalOf('\n\na. .. .A\n.. x. ..\n.. .. x.').facts['field']).toBe('line 5, column 7');
    expect(refusalOf('\na. .. .A\n.. ?. ..\n').facts['field']).toBe('line 3, column 4');
    expect(refusalOf('\na. .. .A\n.. ..\n').facts['field']).toBe('line 3');
  });

  it('changing one character gives another instance or an error', () => {
    const character = fc.constantFrom(...'.#abcABC \n?');
    fc.assert(
      fc.property(instances({ largest: 5, agents: 3, hasId: false }), fc.nat(), character, (instance, at, typed) => {
        const drawing = asciiOf(instance);
        const i = at % drawing.length;
        const changed = drawing.slice(0, i) + typed + drawing.slice(i + 1);
        try {
          expect(asciiOf(fromAscii(changed))).toBe(changed.trimEnd());
        } catch (error) {
          expect(error).toBeInstanceOf(NotAnInstance);
        }
      }),
      { numRuns: 500 },
    );
  });
});

function refusalOf(drawing: string): NotAnInstance {
  try {
    fromAscii(drawing);
  } catch (error) {
    if (error instanceof NotAnInstance) return error;
    throw error;
  }
  throw new Error('it was accepted');
}
