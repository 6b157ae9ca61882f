import { expect, it } from 'vitest';
import { staleTexts } from './commands-page.ts';

it('docs/commands.md and the table in README.md say what the commands declare', async () => {
  expect(await staleTexts()).toEqual([]);
});
