import { describe, expect, it } from 'vitest';
import { choicesFor, type PromptHost } from './commands.ts';

/** The text completed with each choice, if DuckDB suggests these for its last word. */
async function tab(text: string, ...suggestions: readonly string[]): Promise<readonly string[]> {
  const start = text.search(/["\w]*$/);
  const complete = async () => suggestions.map((suggestion) => ({ suggestion, start }));
  const [choices, typed] = await choicesFor(text, { complete } as unknown as PromptHost);
  return choices.map((choice) => text.slice(0, text.length - typed.length) + choice);
}

describe('completion of an SQL statement', () => {
  it('completes the word with the only suggestion that begins with it', async () => {
    expect(await tab('sel', 'select ', 'delete ', '(')).toEqual(['select ']);
    expect(await tab('select * from ru', 'runs', 'trunc')).toEqual(['select * from runs']);
  });

  it('offers all suggestions that begin with the word', async () => {
    expect(await tab('from r', 'rollouts', 'role ', 'error ')).toEqual(['from rollouts', 'from role ']);
  });

  it('offers no suggestion that is only similar', async () => {
    expect(await tab('selct', 'select ', 'delete ')).toEqual([]);
    expect(await tab('zzz')).toEqual([]);
  });

  it('keeps the typed letters, and completes keywords in their case', async () => {
    expect(await tab('SEL', 'select ')).toEqual(['SELECT ']);
    expect(await tab('SELECT * FROM RU', 'runs')).toEqual(['SELECT * FROM RUns']);
    expect(await tab('Sel', 'select ')).toEqual(['Select ']);
    expect(await tab('G', 'group ', 'grouped')).toEqual(['GROUP ', 'Grouped']);
  });

  it('quotes a name that needs it, and completes within open quotes', async () => {
    expect(await tab('from ord', '"order"')).toEqual(['from "order"']);
    expect(await tab('from "ord', '"order"')).toEqual(['from "order"']);
  });

  it('offers each name once, and no operators', async () => {
    expect(await tab('from ', 'runs', '"range"', 'range ', '"!~~"', '(', '# ')).toEqual(['from runs', 'from "range"']);
  });
});
