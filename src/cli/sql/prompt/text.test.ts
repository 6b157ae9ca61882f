import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as edits from './text.ts';
import { cutTo, type Edit, inserted, type Text } from './text.ts';

/** A text with its cursor at `|`. */
function at(marked: string): Text {
  return { text: marked.replace('|', ''), at: marked.indexOf('|') };
}

function shown({ text, at: cursor }: Text): string {
  return `${text.slice(0, cursor)}|${text.slice(cursor)}`;
}

describe('the cursor', () => {
  it.each<[keyof typeof moves, string, string]>([
    ['left', 'ab|', 'a|b'],
    ['left', 'a\n|b', 'a|\nb'],
    ['left', '|a', '|a'],
    ['left', '👩‍👩‍👧|', '|👩‍👩‍👧'],
    ['right', '|e\u0301a', 'e\u0301|a'],
    ['right', 'a|\nb', 'a\n|b'],
    ['right', 'a|', 'a|'],
    ['wordLeft', 'select a_1, |b', 'select |a_1, b'],
    ['wordRight', 'select| a_1, b', 'select a_1|, b'],
    ['lineStart', 'a\nbc|d\ne', 'a\n|bcd\ne'],
    ['lineEnd', 'a\nb|cd\ne', 'a\nbcd|\ne'],
    ['textStart', 'a\nb|', '|a\nb'],
    ['textEnd', '|a\nb', 'a\nb|'],
    ['lineRest', 'a|b\nc', 'ab|\nc'],
    ['lineRest', 'ab|\nc', 'ab\n|c'],
  ])('moved %s in %j is in %j', (move, before, after) => {
    expect(shown(moves[move](at(before)))).toBe(after);
  });

  it.each([
    ['abc\nd|ef', 'a|bc\ndef'],
    ['a\nbc|', 'a|\nbc'],
    ['\n|', '|\n'],
  ])('goes up from %j to %j, and down again as far as that line is long', (before, after) => {
    const above = edits.up(at(before));
    expect(above && shown(above)).toBe(after);
    expect(above && edits.down(above)?.text).toBe(at(before).text);
  });

  it('goes nowhere above the first line and below the last', () => {
    expect(edits.up(at('a|b\nc'))).toBeNull();
    expect(edits.down(at('ab\nc|'))).toBeNull();
  });

  it('stays within the text, between characters, whatever is done', () => {
    const texts = fc.string({ unit: 'grapheme' }).map((text) => inserted(text.replaceAll('e', '\n'))(edits.nothing));
    fc.assert(
      fc.property(texts, fc.array(fc.constantFrom(...Object.values(moves))), (start, done) => {
        let text = start;
        for (const move of done) {
          text = move(text);
          expect(text.text).toBe(start.text);
          expect(text.at).toBeGreaterThanOrEqual(0);
          expect(text.at).toBeLessThanOrEqual(text.text.length);
          expect(shown(text).isWellFormed()).toBe(true);
        }
      }),
    );
  });
});

describe('what is cut out', () => {
  it('can be put back where it was', () => {
    const moving = fc.constantFrom(...Object.values(moves));
    fc.assert(
      fc.property(fc.string(), fc.nat(), moving, (said, place, move) => {
        const { text } = inserted(said)(edits.nothing);
        const before = { text, at: text.length === 0 ? 0 : place % text.length };
        const { left, cut } = cutTo(move)(before);
        expect(inserted(cut)(left).text).toBe(text);
      }),
    );
  });
});

describe('what is inserted', () => {
  it('has line breaks of one kind and nothing that steers a terminal', () => {
    expect(shown(inserted('a\r\nb\rc\n\td\u001b[2J\u0000')(at('x|y')))).toBe('xa\nb\nc\n\td[2J|y');
  });
});

const moves = {
  left: edits.left,
  right: edits.right,
  wordLeft: edits.wordLeft,
  wordRight: edits.wordRight,
  lineStart: edits.lineStart,
  lineEnd: edits.lineEnd,
  textStart: edits.textStart,
  textEnd: edits.textEnd,
  lineRest: edits.lineRest,
} as const satisfies Record<string, Edit>;
