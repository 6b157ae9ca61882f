import { expect, it } from 'vitest';
import { staleTexts } from './commands-page.ts';

it('docs/commands.md matches the declarations of the commands', async () => {
  expect(await staleTexts()).toEqual([]);
});
