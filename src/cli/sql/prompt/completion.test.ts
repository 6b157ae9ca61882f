import { describe, expect, it } from 'vitest';
import { completed } from './completion.ts';

/** As DuckDB suggests for the last word of the text. */
function tab(text: string, ...suggestions: readonly string[]): ReturnType<typeof completed> {
  const start = text.search(/["\w]*$/);
  return completed(
    text,
    suggestions.map((suggestion) => ({ suggestion, start })),
  );
}

describe('Tab', () => {
  it('goes on with the one suggestion that fits', () => {
    expect(tab('sel', 'select ', 'delete ', '(')).toEqual({ text: 'select ', choices: [] });
    expect(tab('select * from ru', 'runs', 'trunc')).toEqual({ text: 'select * from runs', choices: [] });
  });

  it('goes on as far as all that fit agree', () => {
    expect(tab('from r', 'rollouts', 'role ', 'rollup ')).toEqual({
      text: 'from rol',
      choices: ['rollouts', 'role', 'rollup'],
    });
    expect(tab('from rol', 'rollouts', 'role ')).toEqual({ text: 'from rol', choices: ['rollouts', 'role'] });
  });

  it('does nothing where suggestions are only similar', () => {
    expect(tab('selct', 'select ', 'delete ')).toBeNull();
    expect(tab('zzz')).toBeNull();
  });

  it('keeps what is typed, and goes on in capitals with a keyword begun in them', () => {
    expect(tab('SEL', 'select ')?.text).toBe('SELECT ');
    expect(tab('SELECT * FROM RU', 'runs')?.text).toBe('SELECT * FROM RUns');
    expect(tab('Sel', 'select ')?.text).toBe('Select ');
    expect(tab('G', 'group ', 'group_name')?.text).toBe('Group');
  });

  it('puts quotes where a name needs them, and goes on in quotes that are open', () => {
    expect(tab('from ord', '"order"')?.text).toBe('from "order"');
    expect(tab('from "ord', '"order"')?.text).toBe('from "order"');
  });

  it('offers a name once, and no operators', () => {
    expect(tab('from ', 'runs', '"range"', 'range ', '"!~~"', '(', '# ')).toEqual({
      text: 'from ',
      choices: ['runs', '"range"'],
    });
  });
});
