// Recomputing a run whose environment is a program.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { registry } from '../../../testbed/testing/registry.ts';
import { hasPython } from '../../lab/environments/command/testing/arithmetic.ts';
import { allowingAll } from '../../lab/programs/testing/allowed.ts';
import { openEnvironment } from '../run/opening.ts';
import { runTiny, type TinyPlace, tinyPlace, tinySettings } from '../run/testing/tiny.ts';
import { evidenceModules } from '../summaries/modules.ts';
import { again, Copies, evidence, findingTexts, run } from './testing/again.ts';

describe.skipIf(!hasPython)('a run whose environment is a program; skipped without Python', () => {
  const copies = new Copies();
  let arithmetic: TinyPlace;

  beforeAll(async () => {
    arithmetic = await tinyPlace();
    const environment = ['python3', 'examples/arithmetic/environment.py'];
    const opened = await openEnvironment(environment, { allow: allowingAll(), registry });
    await opened.close();
    const configuration = { ...opened.start };
    const trainer = ['python3', 'examples/arithmetic/trainer.py'];
    const change = { environment, trainer, configuration, policy: 'pupil', stages: 1 };
    await runTiny(arithmetic, { run, settings: tinySettings(change) });
  }, 60_000);

  afterAll(async () => {
    await copies.close();
    await arithmetic.close();
  });

  it('is recomputed with the program', async () => {
    const { counts, skipped, findings } = await again(arithmetic.ledger, { allow: allowingAll() });
    // Its trainer reports its own figures, and its settings do not record the rollouts of evaluations.
    expect(findings.kept.map(({ kind }) => kind)).toEqual(Array(3).fill('unsupported'));
    expect(counts.rollouts).toBeGreaterThan(50);
    expect(skipped).toBe(0);
  });

  it('reveals forgeries', async () => {
    const ledger = await copies.forged(arithmetic, (event, data) => {
      const isFirst = event.stream === evidence && event.revision === 0;
      return isFirst ? { ...data, metrics: { ...data.metrics, distance: 7 } } : data;
    });
    const [first] = findingTexts(await again(ledger, { allow: allowingAll() }));
    expect(first).toMatch(
      /^recomputed-rollout \S+@0 RolloutRecorded data\.metrics\.distance: recorded 7, computed again /,
    );
  });

  it('runs no program that is not allowed, and reports what needs it', async () => {
    const { counts, findings } = await again(arithmetic.ledger);
    expect(counts).toMatchObject({ rollouts: 0, summaries: 1 });
    // One for the training, the rollouts, each of two evaluations and each summary of rollouts.
    expect(findings).toMatchObject({ faults: 0, total: 4 + Object.keys(evidenceModules).length });
    expect(findings.kept.map(({ says }) => says)).toContainEqual(
      expect.stringMatching(/^\d+ rollouts: the environment is a program named by the run, "python3 /),
    );
  });

  it('cannot be judged again if its program is missing', async () => {
    const ledger = await copies.forged(arithmetic, (event, data) => {
      if (event.type !== 'RunStarted') return data;
      return { ...data, options: { ...data.options, environment: ['/nowhere/environment'] } };
    });
    const { findings } = await again(ledger, { allow: allowingAll() });
    expect(findings.faults).toBe(0);
    expect(findings.kept.map(({ says }) => says)).toContainEqual(
      expect.stringMatching(/rollouts: the environment cannot be opened: .*\/nowhere\/environment/),
    );
  });
});
