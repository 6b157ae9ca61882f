// Runs that bundles are made of.
import {
  addDecision,
  addStage,
  evenly,
  Recording,
  sizes,
  wholeRun,
} from '../../../analysis/history/testing/recording.ts';
import { recordRuns } from '../../../ledger/copy/testing/history.ts';
import { lastEventOf } from '../../../ledger/ledger.ts';
import { type Place, placeWhere } from '../../runs/testing/looking.ts';
import type { Ran } from '../../testing/harness.ts';

/** `quiet-otter`, its fork `the fork`, and two other runs with evidence. */
export async function placeWithRuns(): Promise<Place> {
  return await placeWhere(async (ledger) => {
    const parent = wholeRun();
    await parent.writeTo(ledger);
    await recordRuns(ledger, ['a', 'b']);
    const last = await lastEventOf(ledger, `run-${parent.run}`);
    const fork = new Recording('f0rk');
    fork.add('RunStarted', null, {
      name: 'the fork',
      environment: { name: 'lake', version: '1' },
      parent: { run: parent.run, stage: 2, revision: last?.revision ?? 0, digest: last?.digest ?? '' },
    });
    const knobs = evenly(sizes, { '5.hole': 0.4 });
    addDecision(fork, 2, { knobs, by: 'kept' });
    addStage(fork, 3, { knobs, valid: { 3: 80, 4: 40, 5: 10 }, failures: { 3: { hole: 5 } }, signal: 0.5 });
    await fork.writeTo(ledger);
  });
}

export const bundle = 'the-fork.icecore.tar.zst';

/** What is said, without what differs from place to place and from time to time. */
export function said({ code, stdout }: Ran): string {
  return `${code} ${stdout.replaceAll(/"(?:as_of|seconds|perSecond|ledger|ledgerId)":(?:"[^"]*"|[0-9.e-]+),?/g, '')}`;
}
