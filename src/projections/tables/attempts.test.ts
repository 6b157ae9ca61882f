import { beforeAll, describe, expect, it } from 'vitest';
import { streamOf } from '../../../schemas/streams.ts';
import { type Ask, History, tablesOf } from '../testing/history.ts';

const root = 'e'.repeat(64);
let ask: Ask;

beforeAll(async () => {
  const run = new History('sealed000000');
  const streamAt = (part: number | string, attempt: number): string => streamOf.evidence(run.run, 1, part, attempt);
  const data = { environment: 'lake', split: 'probe', policy: 'neural', outcome: 'valid' } as const;
  for (const stream of [streamAt(0, 0), streamAt(0, 1), streamAt('training', 0), streamAt('training', 1)]) {
    for (let i = 0; i < 2; i++) run.add('RolloutRecorded', 1, data, { stream });
  }
  const named = (stream: string, count: number) => ({ stream, count, root });
  const attempts = [named(streamAt(0, 1), 1), named(streamAt('training', 0), 1), named(streamAt('training', 1), 2)];
  run.add('EvidenceSealed', 1, { attempts });
  run.add('EvidenceSealed', 1, { attempts: [named(streamAt(0, 0), 2)] });
  ask = await tablesOf([run]);
}, 60_000);

async function reportedAttempts(): Promise<Ask> {
  const run = new History('reported0000');
  const data = { environment: 'lake', split: 'probe', policy: 'neural', outcome: 'valid' } as const;
  const finished = [
    { part: '0', attempt: 0, begin: 0, count: 3 },
    { part: '0', attempt: 1, begin: 3, count: 3 },
    { part: '0', attempt: 100_000, begin: 5, count: 2 },
    { part: 'training', attempt: 0, begin: 0, count: 2 },
    { part: 'training', attempt: 100_000, begin: 0, count: 3 },
  ];
  for (const { part, attempt, count } of finished) {
    const stream = streamOf.evidence(run.run, 1, part, attempt);
    for (let i = 0; i < count; i++) run.add('RolloutRecorded', 1, data, { stream });
  }
  for (const one of finished) {
    run.add('AttemptFinished', 1, { ...one, root, fencingToken: 1 }, { stream: streamOf.work(run.run) });
  }
  return await tablesOf([run]);
}

describe('the attempts of a stage', () => {
  it('without a seal count up to where the next reported attempt begins', async () => {
    const ask = await reportedAttempts();
    expect(await ask('SELECT part, attempt, events_counted, sealed FROM attempts ORDER BY part, attempt')).toEqual([
      { part: '0', attempt: 0, events_counted: 3, sealed: false },
      { part: '0', attempt: 1, events_counted: 2, sealed: false },
      { part: '0', attempt: 100_000, events_counted: 2, sealed: false },
      { part: 'training', attempt: 0, events_counted: 0, sealed: false },
      { part: 'training', attempt: 100_000, events_counted: 3, sealed: false },
    ]);
  }, 60_000);

  it('count as in its first seal; a second one adds nothing', async () => {
    expect(await ask('SELECT part, attempt, counts, events_counted FROM attempts ORDER BY part, attempt')).toEqual([
      { part: '0', attempt: 0, counts: false, events_counted: 0 },
      { part: '0', attempt: 1, counts: true, events_counted: 1 },
      { part: 'training', attempt: 0, counts: true, events_counted: 1 },
      { part: 'training', attempt: 1, counts: true, events_counted: 2 },
    ]);
    expect(await ask('SELECT count(*) AS n FROM rollouts')).toEqual([{ n: 4 }]);
  });
});
