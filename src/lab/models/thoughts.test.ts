import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withoutThoughts } from './thoughts.ts';

describe('thoughts within an answer', () => {
  it.each([
    ['', '', ''],
    [' as it is ', ' as it is ', ''],
    ['<think>\nhm\n</think>\n\nRRD', 'RRD', 'hm'],
    ['<think></think>RRD', 'RRD', ''],
    ['hm, so</think> RRD', 'RRD', 'hm, so'],
    ['<think>hm, and then it was cut', '', 'hm, and then it was cut'],
    ['RRD <think>wait', 'RRD', 'wait'],
    ['Well. <think>hm</think> RRD', 'Well.  RRD', 'hm'],
    ['<think>a</think>b<think>c</think>d', 'bd', 'a\n\nc'],
    ['<think>the tag <think> opens</think>RRD', 'RRD', 'the tag <think> opens'],
    ['a</think>b</think>RRD', 'RRD', 'a\n\nb'],
    ['<thought>hm</thought>RRD', 'RRD', 'hm'],
    ['<thinking>hm</thinking>RRD', 'RRD', 'hm'],
    ['a < b and <b>c</b>', 'a < b and <b>c</b>', ''],
  ])('%j is %j, and %j is thought', (whole, text, reasoning) => {
    expect(withoutThoughts(whole)).toEqual({ text, reasoning });
  });

  it('never come back, and whatever is no tag stays in one of both', () => {
    const part = fc.constantFrom('<think>', '</think>', 'a', 'b', '1', '2');
    fc.assert(
      fc.property(fc.array(part), (parts) => {
        const { text, reasoning } = withoutThoughts(parts.join(''));
        const letters = (of: string): string => of.replace(/<\/?think>|\s/g, '');
        expect(text).not.toMatch(/<\/?think>/);
        expect([...letters(text + reasoning)].sort()).toEqual([...letters(parts.join(''))].sort());
        expect(withoutThoughts(text)).toEqual({ text, reasoning: '' });
      }),
    );
  });
});
