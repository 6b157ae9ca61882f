// Texts designed to be much more expensive to parse than their length suggests.
import { describe, expect, it } from 'vitest';
import { parseJson } from './json-text.ts';

describe('a text with escaped names', () => {
  it('is parsed in linear time, whatever is repeated in it', () => {
    const value = { '\n': 1, b: '~'.repeat(4_000_000) };
    expect(parseJson(JSON.stringify(value))).toEqual(value);
  });

  it('does not need more memory for many of them because another part is long', () => {
    const names = Array.from({ length: 50_000 }, (_, index): [string, number] => [`\n${index}`, index]);
    const value = { ...Object.fromEntries(names), [`~0~${'~'.repeat(100_000)}`]: 1 };
    expect(parseJson(JSON.stringify(value))).toEqual(value);
  });

  it('is parsed correctly even if its names look like placeholders', () => {
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
