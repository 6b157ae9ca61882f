import { describe, expect, it } from 'vitest';
import { tablesAreIndependentOfFeeds } from './testing/folded.ts';

describe('tables of random histories', () => {
  it('do not depend on how feeds interleave, where batches end and what comes twice', async () => {
    await expect(tablesAreIndependentOfFeeds(1)).resolves.toBeUndefined();
  });
});
