import { hostname } from 'node:os';
import { describe, expect, it } from 'vitest';
import { codeOf, type TypeName, versionOf } from '../../../schemas/catalogue.ts';
import type { NewEvent } from '../../../schemas/envelope.ts';
import { streamOf } from '../../../schemas/streams.ts';
import { addStage, evenly, Recording, sizes, wholeRun } from '../../analysis/history/testing/recording.ts';
import { eventId } from '../../ledger/identity/ids.ts';
import { json, lines } from '../testing/harness.ts';
import { faultsAgainst } from '../testing/published.ts';
import { type Place, placeWhere, placeWith } from './testing/looking.ts';

function begun(run: string, environment = 'lake'): Recording {
  const recording = new Recording(run);
  recording.add('RunStarted', null, { name: run, environment: { name: environment }, stages: 2 });
  return recording;
}

async function rows({ look }: Pick<Place, 'look'>, ...options: string[]): Promise<Record<string, unknown>[]> {
  const listed = json(await look('runs', '--json', ...options));
  expect(faultsAgainst('runs', listed)).toEqual([]);
  return listed['rows'] as Record<string, unknown>[];
}

const names = (found: readonly Record<string, unknown>[]): unknown[] => found.map(({ name }) => name);

describe('icecore runs', () => {
  it('lists the newest run first, with its progress and last validation', async () => {
    const { look } = await placeWith(wholeRun(), begun('later'));
    const { stdout, stderr } = await look('runs');
    expect(lines(stdout).map((line) => line.split(/ /)[0])).toEqual(['run', 'later', 'quiet-otter']);
    expect(stdout).toMatch(/^quiet-otter .* lake +gpt +combined +3\/3 +64\.0 \[58, 69\] +32\.0 .* completed +paper$/m);
    expect(stdout).toMatch(/^later +2026-07-01 12:00 +lake +0\/2 +recorded$/m);
    expect(stderr).toBe('');
  });

  it('marks the validation of an incomplete stage', async () => {
    const [stopped, whole] = [begun('stopped'), begun('whole')];
    for (const recording of [stopped, whole])
      addStage(recording, 1, { knobs: evenly(sizes), valid: { 3: 80 }, failures: {}, signal: 0.5 });
    // Without StageCompleted.
    stopped.sent.pop();
    const { stdout } = await (await placeWith(stopped, whole)).look('runs');
    expect(stdout).toMatch(/^stopped .* 0\/2 +…\d/m);
    expect(stdout).toMatch(/^whole .* 1\/2 +\d/m);
    expect(stdout).toMatch(/^…: of a stage that is not complete\.$/m);
  });

  it('reports the total number of runs if --limit truncates the list', async () => {
    const place = await placeWith(begun('a'), begun('b'), begun('c'));
    expect(names(await rows(place, '--limit', '2'))).toEqual(['c', 'b']);
    expect(json(await place.look('runs', '--json', '--limit', '2'))).toMatchObject({ total: 3, truncated: true });
    expect((await place.look('runs', '--limit', '2')).stderr).toContain('2 of 3 runs; --limit 3 shows all');
    expect(await place.look('runs', '--limit', '0')).toMatchObject({ code: 2 });
  });

  it('filters by environment, and by the tags of the run or of its notes', async () => {
    const place = await placeWith(wholeRun(), begun('sums', 'arithmetic'));
    await place.look('annotate', 'sums', 'look at it', '--tag', 'odd', 'paper');
    expect(names(await rows(place, '--environment', 'arithmetic'))).toEqual(['sums']);
    expect(names(await rows(place, '--tag', 'odd'))).toEqual(['sums']);
    expect(names(await rows(place, '--tag', 'paper'))).toEqual(['sums', 'quiet-otter']);
    const slip = await place.look('runs', '--environment', 'arithmetics');
    expect(slip).toMatchObject({ code: 1, stderr: expect.stringContaining('Did you mean arithmetic?') });
    expect((await place.look('runs', '--tag', 'nothing-like-it')).stderr).toContain('Available: paper, odd.');
  });

  it('prints an empty list if there are no runs', async () => {
    const { look } = await placeWith();
    expect(await look('runs')).toMatchObject({
      code: 0,
      stdout: '',
      stderr: expect.stringMatching(/^no runs yet in sqlite:/),
    });
    expect(json(await look('runs', '--json'))).toMatchObject({ total: 0, rows: [], truncated: false });
  });

  it('lists runs that have only rollouts or notes, but no ablations', async () => {
    const foreign = 'their-run-1';
    const place = await placeWhere(async (ledger) => {
      await begun('a').writeTo(ledger);
      const event = (run: string, type: TypeName, stage: number | null, data: object): NewEvent => {
        const id = eventId({ run, stage: stage ?? 0, kind: codeOf(type), index: 0 });
        const at = '2026-07-01T12:00:00.000Z';
        return { id, type, version: versionOf(type), at, actor: 'producer/other', run, stage, causes: [], data };
      };
      const rollout = { environment: 'maze', split: 'probe', policy: 'p', outcome: 'lost' };
      const note = { note: 'lost', tags: ['found'] };
      const claim = { fencingToken: 1, holder: 'a:1', leaseSeconds: 0 };
      const any = { expect: 'any' } as const;
      await ledger.append(streamOf.evidence(foreign, 1, 0, 0), [event(foreign, 'RolloutRecorded', 1, rollout)], any);
      await ledger.append(streamOf.notes('noted'), [event('noted', 'RunAnnotated', null, note)], any);
      await ledger.append(streamOf.work('ablation1'), [event('ablation1', 'RunClaimed', null, claim)], any);
    });
    expect(await rows(place)).toMatchObject([
      { run: 'a' },
      { run: 'their-run-1', name: 'their-run-1', state: 'recorded', at: null, tags: [] },
      { run: 'noted', state: 'recorded', tags: ['found'] },
    ]);
    expect((await place.look('runs')).stdout).toMatch(/^their-run-1 .* recorded/m);
    expect(await place.look('show', '--verbose', foreign)).toMatchObject({ code: 0 });
    expect(await place.look('show', '--verbose', 'ablation1')).toMatchObject({ code: 1 });
  });

  it('reports the state of each run and the holder of its lease', async () => {
    const held = begun('held');
    const holder = `${hostname()}:1:0123abcd`;
    held.add('RunClaimed', null, { fencingToken: 1, holder, leaseSeconds: 30 });
    const released = begun('released');
    released.add('RunClaimed', null, { fencingToken: 1, holder, leaseSeconds: 30 });
    released.add('RunClaimed', null, { fencingToken: 1, holder, leaseSeconds: 0 });
    const far = begun('far');
    far.add('RunClaimed', null, { fencingToken: 3, holder: 'elsewhere:1:0123abcd', leaseSeconds: 3600 });
    const lapsed = begun('lapsed');
    lapsed.add('RunClaimed', null, { fencingToken: 3, holder: 'elsewhere:1:0123abcd', leaseSeconds: 0.000001 });
    const interrupted = begun('interrupted');
    interrupted.add('RunFailed', null, { reason: 'interrupted', message: 'Ctrl-C', resumable: true });
    const failed = begun('failed');
    failed.add('RunFailed', null, { reason: 'unavailable', message: 'away', resumable: false });
    const place = await placeWith(held, released, far, lapsed, interrupted, failed);
    const states = new Map((await rows(place)).map(({ name, state, holder: who }) => [name, [state, who]]));
    expect(Object.fromEntries(states)).toEqual({
      held: ['running', holder],
      released: ['stopped', null],
      far: ['running', 'elsewhere:1:0123abcd'],
      lapsed: ['stopped', null],
      interrupted: ['stopped', null],
      failed: ['failed', null],
    });
  });

  it('does not report a run as failed if it recorded anything after the failure', async () => {
    const recording = begun('resumed');
    addStage(recording, 1, { knobs: evenly(sizes), valid: { 3: 10 }, failures: {}, signal: 0 });
    recording.add('RunFailed', 1, { reason: 'unavailable', message: 'away', resumable: true });
    expect(await rows(await placeWith(recording))).toMatchObject([{ state: 'failed' }]);
    recording.add('ProposalRejected', 1, {
      engineer: { name: 'gpt' },
      context: null,
      reason: 'empty',
      issues: [],
      raw: null,
    });
    expect(await rows(await placeWith(recording))).toMatchObject([{ state: 'recorded', done: 1, planned: 2 }]);
  });
});
