// A run with damaged events is reported, and does not hide the other runs.
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Recording } from '../../analysis/history/testing/recording.ts';
import { Tampering } from '../../ledger/sqlite/testing/tamper.ts';
import { json } from '../testing/harness.ts';
import { type Place, placeWith } from './testing/looking.ts';

const digest = new Uint8Array(32);

async function placeWithDamage(position: number): Promise<Place> {
  const recordings = ['alpha', 'beta'].map((run) => {
    const recording = new Recording(run);
    recording.add('RunStarted', null, { name: `${run}-name`, environment: { name: 'lake' }, stages: 2 });
    recording.add('StageStarted', 1, {});
    return recording;
  });
  const place = await placeWith(...recordings);
  const tampering = new Tampering(join(place.cwd, '.icecore', 'ledger.db'));
  tampering.rewrite(position, Buffer.from('{'), digest);
  tampering.close();
  return place;
}

it.each([
  ['its first event', 1],
  ['an event of a stage', 2],
])('icecore runs lists the other runs and names the one with damage to %s', async (_, position) => {
  const { look } = await placeWithDamage(position);
  const listed = await look('runs');
  expect(listed).toMatchObject({ code: 0, stdout: expect.stringContaining('beta-name') });
  expect(listed.stderr).toMatch(/^1 run cannot be read, as events are damaged: alpha\n.*verify says which\n$/);
  const asJson = await look('runs', '--json');
  expect(json(asJson)).toMatchObject({ rows: [{ name: 'beta-name' }] });
  expect(asJson.stderr).toContain('1 run cannot be read');
});

it('icecore show reports a damaged first event of a run named by its id, and suggests the id for its name', async () => {
  const { look } = await placeWithDamage(1);
  expect((await look('show', '--verbose', 'alpha')).stderr).toContain('run-alpha@0: its bytes are not an event');
  expect((await look('show', '--verbose', 'alpha-name')).stderr).toContain('Did you mean alpha?');
});
