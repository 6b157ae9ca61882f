import { describe, expect, it } from 'vitest';
import { tablesAreFolds, tablesAreIndependentOfFeeds } from './testing/folded.ts';

describe('tables of random histories', () => {
  it('are what a fold of the events makes of them', async () => {
    await expect(tablesAreFolds(2)).resolves.toBeUndefined();
  });

  it('do not depend on how feeds interleave, where batches end and what comes twice', async () => {
    await expect(tablesAreIndependentOfFeeds(1)).resolves.toBeUndefined();
  });
});
