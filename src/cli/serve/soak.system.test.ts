// Twenty seconds of the load that `npm run soak -- --only server` creates for ten minutes.
import { expect, it } from 'vitest';
import { randomFrom } from '../../base/testing/random.ts';
import { temporaryFolder } from '../testing/harness.ts';
import { soakServer } from './testing/soak.ts';

it('a server under concurrent appends, followers and queries loses no events and keeps its memory flat', async () => {
  const { events, queries, faults } = await soakServer({
    ...{ cwd: temporaryFolder(), seconds: 20 },
    drawn: randomFrom('server'),
  });
  expect(faults).toEqual([]);
  expect([events > 0, queries > 0]).toEqual([true, true]);
}, 120_000);
