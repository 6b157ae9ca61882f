import { describe, expect, it } from 'vitest';
import { choicesFor, type PromptHost } from './commands.ts';

/** What the text becomes with each choice, where DuckDB suggests these for its last word. */
async function tab(text: string, ...suggestions: readonly string[]): Promise<readonly string[]> {
  const start = text.search(/["\w]*$/);
  const complete = async () => suggestions.map((suggestion) => ({ suggestion, start }));
  const [choices, typed] = await choicesFor(text, { complete } as unknown as PromptHost);
  return choices.map((choice) => text.slice(0, text.length - typed.length) + choice);
}

describe('Tab', () => {
  it('goes on with the one suggestion that fits', async () => {
    expect(await tab('sel', 'select ', 'delete ', '(')).toEqual(['select ']);
    expect(await tab('select * from ru', 'runs', 'trunc')).toEqual(['select * from runs']);
  });

  it('has a choice of all that fit', async () => {
    expect(await tab('from r', 'rollouts', 'role ', 'error ')).toEqual(['from rollouts', 'from role ']);
  });

  it('does nothing where suggestions are only similar', async () => {
    expect(await tab('selct', 'select ', 'delete ')).toEqual([]);
    expect(await tab('zzz')).toEqual([]);
  });

  it('keeps what is typed, and goes on in capitals with a keyword begun in them', async () => {
    expect(await tab('SEL', 'select ')).toEqual(['SELECT ']);
    expect(await tab('SELECT * FROM RU', 'runs')).toEqual(['SELECT * FROM RUns']);
    expect(await tab('Sel', 'select ')).toEqual(['Select ']);
    expect(await tab('G', 'group ', 'grouped')).toEqual(['GROUP ', 'Grouped']);
  });

  it('puts quotes where a name needs them, and goes on in quotes that are open', async () => {
    expect(await tab('from ord', '"order"')).toEqual(['from "order"']);
    expect(await tab('from "ord', '"order"')).toEqual(['from "order"']);
  });

  it('offers a name once, and no operators', async () => {
    expect(await tab('from ', 'runs', '"range"', 'range ', '"!~~"', '(', '# ')).toEqual(['from runs', 'from "range"']);
  });
});
