// Verification finds a forged number anywhere in an ablation: design, decisions, scores and conclusions.
import { expect, it } from 'vitest';
import { ablateTiny } from '../../producers/ablation/testing/tiny-ablation.ts';
import { again, recordedRun, run } from '../../producers/recompute/testing/again.ts';
import { numbersOf, requireFound } from '../../producers/recompute/testing/every-number.ts';
import { completion } from './conclude.ts';

it('verification finds forged numbers of an ablation, even if digests, chains and seals match', async () => {
  const place = await recordedRun({ budget: { 'agent-steps': 60 }, validation: 4, trained: 4 });
  try {
    await ablateTiny(place, {
      ...{ runs: [run], conclude: completion, depth: 'propose', forms: ['failures', 'stats'], seeds: [1, 2, 3] },
      ...{ engineers: ['rules', 'base'], baselines: ['fixed', 'actual'], margin: 0.5 },
    });
    const others = { run: null, conclude: completion };
    const whole = await again(place.ledger, others);
    expect([whole.findings.kept, whole.skipped]).toEqual([[], 0]);
    const numbers = await numbersOf(place.ledger, ({ stream }) => stream.startsWith('ablation-'));
    expect([...numbers.keys()].map((key) => key.split(' ')[0])).toEqual(
      expect.arrayContaining(['AblationStarted', 'ContextRecorded', 'ArmProposed', 'AblationCompleted']),
    );
    await requireFound(place, numbers, 12, others);
  } finally {
    await place.close();
  }
}, 180_000);
