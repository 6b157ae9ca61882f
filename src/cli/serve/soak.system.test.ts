// Twenty seconds of what `npm run soak -- --only server` does for ten minutes.
import { expect, it } from 'vitest';
import { randomFrom } from '../../base/testing/random.ts';
import { temporaryFolder } from '../testing/harness.ts';
import { soakServer } from './testing/soak.ts';

it('appending, following and querying at once lose nothing and keep the memory flat', async () => {
  const { events, queries, faults } = await soakServer({
    ...{ cwd: temporaryFolder(), seconds: 20 },
    drawn: randomFrom('server'),
  });
  expect(faults).toEqual([]);
  expect([events > 0, queries > 0]).toEqual([true, true]);
}, 120_000);
