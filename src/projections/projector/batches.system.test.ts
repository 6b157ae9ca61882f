// For any content of events and any batches, the tables contain each event once.
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tableDigests } from '../digests.ts';
import { filledPlace } from '../testing/place.ts';
import { project } from './projector.ts';

describe('batches', () => {
  it('fill the same tables whatever their limits', async () => {
    const { folder, ledger, path } = await filledPlace();
    const expected = await tableDigests(path, 'tables');
    for (const limits of [
      { events: 40, characters: 1_000_000 },
      { events: 1_000_000, characters: 20_000 },
    ]) {
      const cut = await project(ledger, join(folder, `cut-${limits.events}`), { limits });
      expect(await tableDigests(cut.path, 'tables')).toEqual(expected);
    }
  });
});
