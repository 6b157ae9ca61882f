import { describe, expect, it } from 'vitest';
import { tablesAreIndependentOfFeeds } from './testing/folded.ts';

describe('tables of random histories', () => {
  it('do not depend on the interleaving of feeds, the ends of batches and repeated events', async () => {
    await expect(tablesAreIndependentOfFeeds(1)).resolves.toBeUndefined();
  });
});
