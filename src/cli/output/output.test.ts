import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { escapeControls, escapeControlsInLines } from '../../base/escape.ts';
import { paintFor } from '../../base/paint.ts';
import { jsonText } from '../../base/printable-json.ts';
import { count, counted, duration, shortNumber, size } from '../../base/quantity.ts';
import type { Sink } from '../../base/sink.ts';
import { displayWidth, padText, truncateText, wrapText } from '../../base/terminal.ts';
import { Layout, table } from '../../document/layout.ts';

const pipe: Sink = { isTTY: false, columns: 80, write: async () => {} };
const terminal = (columns: number): Sink => ({ ...pipe, isTTY: true, columns });

/** Everything that moves a cursor, changes a colour or the direction of writing. */
const steering = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u;

describe('the display width of a text', () => {
  it.each([
    ['', 0],
    ['abc', 3],
    ['Größe', 5],
    ['e\u0301', 1],
    ['冰芯', 4],
    ['ひらがな', 8],
    ['ｱｲｳ', 3],
    ['Ａ', 2],
    ['🧊', 2],
    ['👩‍🔬', 2],
    ['🇨🇭', 2],
    ['❄️', 2],
    ['a\u200bb', 2],
  ])('%s takes %i columns', (text, width) => {
    expect(displayWidth(text)).toBe(width);
  });

  it('limits a truncated text', () => {
    expect(truncateText('冰芯冰芯', 8)).toBe('冰芯冰芯');
    expect(truncateText('冰芯冰芯', 7)).toBe('冰芯冰…');
    expect(truncateText('冰芯冰芯', 6)).toBe('冰芯…');
    expect(truncateText('abcdef', 4)).toBe('abc…');
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 20 }), (text, width) => {
        expect(displayWidth(truncateText(text, width))).toBeLessThanOrEqual(width);
      }),
    );
  });

  it('determines the padding of a text', () => {
    expect(padText('冰', 4)).toBe('冰  ');
    expect(padText('5', 3, 'right')).toBe('  5');
    expect(padText('long', 2)).toBe('long');
  });
});

describe('a wrapped text', () => {
  it('breaks between words at its display width', () => {
    expect(wrapText('a few words', 5)).toEqual(['a few', 'words']);
    expect(wrapText('冰芯 冰芯 冰芯', 9)).toEqual(['冰芯 冰芯', '冰芯']);
    expect(wrapText('', 5)).toEqual(['']);
  });

  it('keeps long words such as paths whole', () => {
    expect(wrapText('in /a/long/path now', 6)).toEqual(['in', '/a/long/path', 'now']);
  });

  it('keeps all words', () => {
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[a-z冰]{1,9}$/)), fc.integer({ min: 1, max: 30 }), (words, width) => {
        expect(wrapText(words.join(' '), width).join(' ')).toBe(words.join(' '));
      }),
    );
  });
});

describe('a table', () => {
  const columns = [{ title: 'name' }, { title: 'events', align: 'right' }, { title: 'says' }] as const;
  const rows = [
    ['冰芯', '12', 'a'],
    ['ab', '3', 'a longer text'],
  ];

  it('is aligned in every script', () => {
    expect(table(columns, rows, pipe)).toBe('name  events  says\n冰芯      12  a\nab         3  a longer text\n');
  });

  it('omits empty titles', () => {
    expect(table([{ title: '' }, { title: '' }], [['a', 'b']], pipe)).toBe('a  b\n');
  });

  it('is truncated only on a terminal', () => {
    const narrow = table(columns, rows, terminal(26));
    for (const line of narrow.trimEnd().split('\n')) expect(displayWidth(line)).toBeLessThanOrEqual(26);
    expect(narrow).toContain('a longer te…');
    expect(table(columns, rows, pipe)).toContain('a longer text');
  });

  it('wraps its last column only on a terminal', () => {
    const wrapping = [{ title: '' }, { title: '', wraps: true }] as const;
    const row = ['disk', 'little is left of it, so free some space before a long run'];
    expect(table(wrapping, [row, ['x', 'y']], terminal(40))).toBe(
      'disk  little is left of it, so free some\n      space before a long run\nx     y\n',
    );
    expect(table(wrapping, [row], pipe)).toBe(`${row.join('  ')}\n`);
    expect(table(wrapping, [['x', 'y'], row], terminal(24))).toBe(
      'x\n    y\ndisk\n    little is left of\n    it, so free some\n    space before a long\n    run\n',
    );
  });

  it('printed line by line only widens its columns', () => {
    const layout = new Layout([{ title: '' }, { title: '' }], pipe);
    const line = (...cells: string[]): string => {
      layout.widen([cells]);
      return layout.line(cells);
    };
    expect(line('ab', 'x')).toBe('ab  x\n');
    expect(line('abcd', 'x')).toBe('abcd  x\n');
    expect(line('a', 'x')).toBe('a     x\n');
  });
});

describe('colour', () => {
  it('is used only on terminals, and not with NO_COLOR or TERM=dumb', () => {
    expect(paintFor(terminal(80), {}).red('x')).toBe('\u001b[31mx\u001b[0m');
    expect(paintFor(pipe, {}).red('x')).toBe('x');
    expect(paintFor(terminal(80), { NO_COLOR: '1' }).red('x')).toBe('x');
    expect(paintFor(terminal(80), { NO_COLOR: '' }).red('x')).not.toBe('x');
    expect(paintFor(terminal(80), { TERM: 'dumb' }).red('x')).toBe('x');
  });
});

describe('text from untrusted sources', () => {
  it('is printed with its control characters escaped', () => {
    expect(escapeControls('a\u001b[31m\nb\tc\u009b')).toBe('a\\x1b[31m\\nb\\tc\\x9b');
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(escapeControls(text)).not.toMatch(steering);
        expect(escapeControlsInLines(text).replaceAll('\n', '')).not.toMatch(steering);
      }),
    );
  });

  it('keeps its line breaks in multi-line output', () => {
    expect(escapeControlsInLines('a\r\nb\n\tc\rd')).toBe('a\nb\n    c\\rd');
  });

  it('is the same value in JSON, without control characters', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(jsonText({ text })).not.toMatch(steering);
        expect(JSON.parse(jsonText({ text }))).toEqual({ text });
      }),
    );
  });
});

describe('quantities', () => {
  it.each([
    [count(1234567), '1,234,567'],
    [counted(1, 'event'), '1 event'],
    [counted(1000, 'event'), '1,000 events'],
    [size(0), '0 B'],
    [size(1023), '1,020 B'],
    [size(1024), '1 KiB'],
    [size(1_300_000), '1.24 MiB'],
    [size(1024 ** 4 * 5), '5 TiB'],
    [duration(0.0123), '12 ms'],
    [duration(1.234), '1.2 s'],
    [duration(75), '1 min 15 s'],
    [duration(3725), '1 h 2 min'],
    [shortNumber(0.123456), '0.1235'],
    [shortNumber(12), '12'],
    [shortNumber(1234567.891), '1235000'],
    [shortNumber(1e-9), '1e-9'],
    [shortNumber(0.5), '0.5'],
  ])('%s', (written, expected) => {
    expect(written).toBe(expected);
  });
});
