// Texts made to cost much more to read than they are long.
import { describe, expect, it } from 'vitest';
import { parseJson } from './json-text.ts';

describe('a text with escaped names', () => {
  it('is read in about the time that its length takes, whatever is repeated in it', () => {
    const value = { '\n': 1, b: '~'.repeat(4_000_000) };
    expect(parseJson(JSON.stringify(value))).toEqual(value);
  });

  it('takes no more room for many of them because something else in it is long', () => {
    const names = Array.from({ length: 50_000 }, (_, index): [string, number] => [`\n${index}`, index]);
    const value = { ...Object.fromEntries(names), [`~0~${'~'.repeat(100_000)}`]: 1 };
    expect(parseJson(JSON.stringify(value))).toEqual(value);
  });

  it('is read as it is, whatever names it has that look like those in the place of others', () => {
    const value = {
      '~0~0': 1,
      '~1~0': 2,
      '~00~1': 3,
      '~2~': { '~~': 4, '~3~x': 5 },
      '\n': 6,
      '\\': 7,
      text: '~4~ "~5~',
    };
    expect(parseJson(JSON.stringify(value))).toEqual(value);
    expect(parseJson('{"\\u007e0~0":1,"~0~0":2,"\\u007e1~":3,"\\n":4}')).toEqual({ '~0~0': 2, '~1~': 3, '\n': 4 });
  });
});
