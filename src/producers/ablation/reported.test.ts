// Arms of an ablation on a ledger with a separate evidence store: their evidence is reported under the ablation's
// claim, survives an interruption, and can be recomputed.
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { streamOf } from '../../../schemas/streams.ts';
import { collect } from '../../ledger/contract/fixture.ts';
import { again } from '../recompute/testing/again.ts';
import { withAppend } from '../run/testing/held-up.ts';
import { tinySettings } from '../run/testing/tiny.ts';
import { ablateTiny, keptIn, type RecordedRuns } from './testing/tiny-ablation.ts';

const run = 'whole0000000';
const asked = { runs: [run], depth: 'train', forms: ['v1'], arms: ['rules/v1', 'fixed'], jobs: 1 } as const;
let kept: RecordedRuns;

beforeAll(async () => {
  const small = { budget: { 'agent-steps': 60 }, validation: 2, trained: 2, record: 'all' } as const;
  kept = await keptIn('split', [{ run, settings: tinySettings(small) }]);
}, 60_000);

it('interrupted arms report their evidence and resume from it', async () => {
  const { folder, ledger, close } = await kept.copy();
  onTestFinished(close);
  for (let [isOver, stops] = [false, 0]; !isOver; stops++) {
    const stopping = new AbortController();
    let reports = 0;
    const stopped = withAppend(ledger, async (stream, events, options) => {
      const appended = await ledger.append(stream, events, options);
      if (events[0]?.type === 'AttemptFinished' && reports++ === stops % 2) stopping.abort('enough');
      return appended;
    });
    isOver = await ablateTiny({ folder, ledger: stopped }, { ...asked, signal: stopping.signal }).then(
      () => true,
      (reason: unknown) => {
        expect(reason).toBe('enough');
        return false;
      },
    );
    if (stops > 40) expect.fail('it never comes to its end');
  }
  const { design } = await ablateTiny({ folder, ledger }, asked);
  const work = await collect(ledger.read(streamOf.work(design.ablation)));
  const parts = work.flatMap(({ reading }) =>
    reading.known && reading.type === 'AttemptFinished' ? [reading.data.part] : [],
  );
  expect(new Set(parts.map((part) => part.replace(/^arm[0-9]+[.]/, '')))).toEqual(new Set(['training', 'validation']));
  const sealed = (await collect(ledger.read(streamOf.ablation(design.ablation)))).flatMap(({ reading }) =>
    reading.known && reading.type === 'EvidenceSealed' ? reading.data.attempts : [],
  );
  expect(sealed.length).toBeGreaterThan(0);
  const { findings } = await again(ledger, { run: null });
  expect(findings.kept.filter(({ kind }) => kind !== 'not-recomputed')).toEqual([]);
}, 120_000);
