import { describe, expect, it } from 'vitest';
import { tablesAreFolds } from './testing/folded.ts';

describe('tables of random histories', () => {
  it('are what a fold of the events makes of them', async () => {
    await expect(tablesAreFolds(2)).resolves.toBeUndefined();
  });
});
