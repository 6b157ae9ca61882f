// Recomputing a run whose environment is a program.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { registry } from '../../../testbed/testing/registry.ts';
import { hasPython } from '../../lab/environments/command/testing/arithmetic.ts';
import { allowingAll } from '../../lab/programs/testing/allowed.ts';
import { collect } from '../../ledger/contract/fixture.ts';
import { openEnvironment } from '../run/opening.ts';
import { runTiny, type TinyPlace, tinyPlace, tinySettings } from '../run/testing/tiny.ts';
import { evidenceModules } from '../summaries/modules.ts';
import { again, Copies, evidence, findingTexts, run } from './testing/again.ts';

/** Trains nothing: for what is recorded around a training. */
const idle = `
import json, pathlib, sys
stage = json.load(sys.stdin)
pathlib.Path(stage["folder"], "policy.json").write_text('{"skill": 0}')
print(json.dumps({"step": 1, "spent": stage["budget"], "values": {"reward": 0}}))
print(json.dumps({"done": {"checkpoint": {"file": "policy.json"}}}))
`;

describe.skipIf(!hasPython)(
  'a run in an environment with fewer training tasks than requested; skipped without Python',
  () => {
    const copies = new Copies();
    let place: TinyPlace;

    beforeAll(async () => {
      place = await tinyPlace();
      const program = join(place.folder, 'idle.py');
      writeFileSync(program, idle);
      const change = {
        ...{ environment: ['python3', 'examples/own-loop/environment.py'], trainer: ['python3', program] },
        ...{ configuration: { digits: 2 }, policy: 'mine', engineer: 'fixed', stages: 1, trained: 200 },
        ...{ budget: { updates: 1 }, record: 'all' as const },
      };
      await runTiny(place, { run, settings: tinySettings(change) });
    }, 60_000);

    afterAll(async () => {
      await copies.close();
      await place.close();
    });

    it('is sound if the policy tried all existing tasks, and not if one rollout is missing or there are too many', async () => {
      const { counts, findings } = await again(place.ledger, { allow: allowingAll() });
      expect(findings.kept.filter(({ kind }) => kind !== 'unsupported')).toEqual([]);
      const text = 'rollouts of training tasks in its stage, which has';
      const tries = (await collect(place.ledger.readAll({ types: ['RolloutRecorded'] }))).filter(
        ({ reading }) => reading.known && reading.type === 'RolloutRecorded' && reading.data.split === 'train',
      );
      expect([counts.rollouts > tries.length, tries.length < 100]).toEqual([true, true]);
      const last = tries.at(-1);
      const left = await copies.forged(place, (event, data) =>
        event.stream === last?.stream && event.revision === last.revision ? { ...data, split: 'probe' } : data,
      );
      expect(findingTexts(await again(left, { allow: allowingAll() }))).toContainEqual(
        expect.stringContaining(`is the last of ${tries.length - 1} ${text} ${tries.length} such tasks`),
      );
      const fewer = await copies.forged(place, ({ type }, data) =>
        type === 'RunStarted' ? { ...data, options: { ...data.options, trained: 40 } } : data,
      );
      expect(findingTexts(await again(fewer, { allow: allowingAll() }))).toContainEqual(
        expect.stringContaining(`is the last of ${tries.length} ${text} 40 such tasks`),
      );
    });
  },
);

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
