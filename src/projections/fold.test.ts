import { describe, expect, it } from 'vitest';
import { tablesAreFolds } from './testing/folded.ts';

describe('tables of random histories', () => {
  it('equal a fold of the events', async () => {
    await expect(tablesAreFolds(2)).resolves.toBeUndefined();
  });
});
