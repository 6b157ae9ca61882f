// The text of a context is split without loss.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { differences, piecesOf, sectionsOf } from './context-text.ts';

const text = `# The environment: lake
Agents move.

# behaviour: how often the policy succeeds
By family:
       valid             tried  steps
  B3   0% (0-22%, 0/28)  14     1.39
  B10  7% (1-19%, 2/32)  16     0
  valid: the share of rollouts that succeed

Means:
  O.stages-to-go  1 more stage to come

# failures: how it fails
F1  family 3  hole
    0 ▸  ∙  ░░░ b╳
It says [N1] that valid is best.
`;

const ids = new Set(['B3.valid', 'B3.steps', 'B10.valid', 'O.stages-to-go', 'F1', 'N1']);
const isKnown = (id: string): boolean => ids.has(id);

describe('the modules of a context', () => {
  it('begin at their headings; the text before them has no module', () => {
    const sections = sectionsOf(text, ['behaviour', 'failures']);
    expect(sections.map(({ module, title }) => [module, title])).toEqual([
      [null, 'The environment: lake'],
      ['behaviour', 'how often the policy succeeds'],
      ['failures', 'how it fails'],
    ]);
    expect(sections[0]?.lines).toEqual(['Agents move.']);
  });
});

describe('evidence ids in a context', () => {
  it('are found in table cells, at the beginning of lines and in square brackets', () => {
    const found = sectionsOf(text, ['behaviour', 'failures']).flatMap(({ lines }) =>
      piecesOf(lines, isKnown).flatMap((pieces) => pieces.filter(({ id }) => id !== null)),
    );
    expect(found).toEqual([
      { id: 'B3.valid', text: '0% (0-22%, 0/28)' },
      { id: 'B3.steps', text: '1.39' },
      { id: 'B10.valid', text: '7% (1-19%, 2/32)' },
      { id: 'O.stages-to-go', text: 'O.stages-to-go' },
      { id: 'F1', text: 'F1' },
      { id: 'N1', text: 'N1' },
    ]);
  });

  it('do not change the text', () => {
    fc.assert(
      fc.property(fc.array(fc.string()), (lines) => {
        const whole = [...text.split('\n'), ...lines];
        const pieces = piecesOf(whole, isKnown);
        expect(pieces.map((line) => line.map((piece) => piece.text).join(''))).toEqual(whole);
      }),
    );
  });
});

describe('the differences between two texts', () => {
  it('are the lines that only one of them has', () => {
    expect(differences(['a', 'b', 'c'], ['a', 'x', 'c', 'd'])).toEqual([
      { kind: 'same', line: 'a' },
      { kind: 'left', line: 'b' },
      { kind: 'right', line: 'x' },
      { kind: 'same', line: 'c' },
      { kind: 'right', line: 'd' },
    ]);
  });

  it('contain both texts', () => {
    const lines = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 12 });
    fc.assert(
      fc.property(lines, lines, (left, right) => {
        const changes = differences(left, right);
        const without = (kind: 'left' | 'right'): readonly string[] =>
          changes.filter((change) => change.kind !== kind).map(({ line }) => line);
        expect(without('right')).toEqual(left);
        expect(without('left')).toEqual(right);
      }),
    );
  });
});
