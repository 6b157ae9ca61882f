import { cpSync, rmSync } from 'node:fs';
import { it } from 'vitest';
import { goldenPlace, addForeign } from './testing/foreign.ts';
import { findRun } from '../ledger/runs.ts';
it('makes', async () => {
  const place = await goldenPlace(async (ledger) => {
    const { run } = await findRun(ledger, 'first');
    let abl = '';
    for await (const e of ledger.streams('ablation-')) abl ||= e[0]!.stream;
    const data = { gpu: 3, celsius: 92.5, note: 'too hot', nested: { a: [1, 2] } };
    const evid: string[] = [];
    for await (const e of ledger.streams(`evidence-${run}-`)) evid.push(...e.map((x) => x.stream));
    const streams: [string, string | null, number | null, string, number][] = [
      [`run-${run}`, run, 1, 'Moon', 1], [`run-${run}`, run, null, 'StageCompleted', 9],
      [`work-${run}`, run, 1, 'Moon', 1], [`work-${run}`, run, 1, 'RunClaimed', 9],
      [`notes-${run}`, run, 1, 'Moon', 1], [`notes-${run}`, run, 1, 'RunAnnotated', 9],
      [evid[0]!, run, 1, 'Moon', 1], [evid[0]!, run, 1, 'RolloutRecorded', 9],
      [`evidence-${run}-2-9-0`, run, 2, 'RolloutRecorded', 9],
      [abl, null, null, 'Moon', 1], [abl, null, null, 'ArmProposed', 9],
      [`answer-${'a'.repeat(64)}`, null, null, 'Moon', 1],
      ['sensor-42', null, null, 'GpuThrottled', 1], ['sensor-42', run, 1, 'RolloutRecorded', 1], ['x-gpu', run, 1, 'acme.GpuThrottled', 3],
    ];
    for (const [stream, run, stage, type, version] of streams) await addForeign(ledger, { stream, run, stage, type, version, data });
  });
  rmSync('/tmp/f/x', { recursive: true, force: true });
  cpSync(place.cwd, '/tmp/f/x', { recursive: true });
});
