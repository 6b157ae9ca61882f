import { expect, it } from 'vitest';
import { staleTexts } from './commands-page.ts';

it('docs/commands.md and the table in README.md match the declarations of the commands', async () => {
  expect(await staleTexts()).toEqual([]);
});
