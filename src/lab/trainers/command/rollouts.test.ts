// A program that prints its rollouts: they are yielded in order, once, and before the save that depends on them.
import { describe, expect, it } from 'vitest';
import { followed } from '../contract/trainer-contract.ts';
import type { Progress } from '../trainer.ts';
import { InvalidTrainingMessage, TrainingDied } from './messages.ts';
import {
  fault,
  folderFor,
  isDone,
  request,
  saves,
  shell,
  trained,
  tries,
  updateLine as updates,
} from './testing/shell.ts';

const rollouts = { environment: 'coins', split: 'train', policy: 'pupil' } as const;

/** As `from: samples`, and the other messages. */
function shortly(progress: readonly Progress[]): string[] {
  return progress.map((one) => {
    if (one.kind !== 'rollouts') return one.kind;
    return `${one.from}: ${one.rollouts.map((rollout) => ('sample' in rollout ? rollout.sample : '?')).join()}`;
  });
}

describe('a program that prints its rollouts', () => {
  const script = `${tries(0)}; ${tries(1)}; ${updates(1)}; ${tries(2, 2)}; ${saves('a')}; ${tries(3, 2)}; ${isDone}`;

  it('has them yielded in order, before the update and the save that depend on them', async () => {
    const { progress, trained: all } = await trained(script, { rollouts });
    expect(shortly(progress)).toEqual(['0: 0,1', 'point', '2: 2', 'saved', '3: 3']);
    const [first] = progress;
    expect(first).toMatchObject({ rollouts: [{ ...rollouts, outcome: 'heads', sample: 0, trainingStep: 1 }, {}] });
    expect(all.rollouts).toBe(4);
  });

  it('trains the same if rollouts are not requested', async () => {
    const { progress, trained: all } = await trained(script);
    expect(shortly(progress)).toEqual(['point', 'saved']);
    expect(all.rollouts).toBeUndefined();
  });

  it('may print many of them while the reader is slow', async () => {
    const many = `i=0; while [ $i -lt 2000 ]; do echo '{"rollout": {"outcome": "heads"}}'; i=$((i+1)); done`;
    const { progress, trained: all } = await trained(`${many}; ${updates(1)}; ${saves('a')}; ${isDone}`, { rollouts });
    const lists = progress.flatMap((one) => (one.kind === 'rollouts' ? [one] : []));
    let next = 0;
    for (const { from, rollouts: some } of lists) {
      expect(from).toBe(next);
      next += some.length;
    }
    expect([next, all.rollouts]).toEqual([2000, 2000]);
  });

  /** A shell function that prints some rollouts with long texts. */
  const longOnes = (characters: number): string => {
    const line = JSON.stringify('{"rollout": {"outcome": "heads", "completion": {"text": "$X"}}}');
    return `X=$(head -c ${characters} /dev/zero | tr '\\0' x)
      many() { i=0; while [ $i -lt $1 ]; do echo ${line}; i=$((i+1)); done; }`;
  };
  const long = longOnes(400_000);

  it('has long rollouts yielded in small lists', async () => {
    const { progress } = await trained(`${long}; many 60; ${isDone}`, { rollouts });
    const counts = progress.flatMap((one) => (one.kind === 'rollouts' ? [one.rollouts.length] : []));
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(60);
    expect(Math.max(...counts) * 400_000).toBeLessThanOrEqual(9 * 2 ** 20);
  });

  it('has all of them yielded if updates come in between', async () => {
    const { progress } = await trained(`${long}; many 15; ${updates(1)}; many 15; ${updates(2)}; many 15; ${isDone}`, {
      rollouts,
    });
    const counts = progress.map((one) => (one.kind === 'rollouts' ? one.rollouts.length : one.kind));
    expect(counts.filter((one) => typeof one === 'number').reduce((sum, count) => sum + count, 0)).toBe(45);
    expect(counts.indexOf('point')).toBe(1);
  });

  it('fails if a rollout is too large for a ledger', async () => {
    const trainer = shell(`${longOnes(1_000_000)}; many 1; ${isDone}`);
    const refused = await fault(InvalidTrainingMessage, trainer, { rollouts });
    expect(refused.message).toMatch(/a rollout of 10000\d\d bytes.*at most 1000000/);
  });

  it('numbers rollouts from the save after an interruption', async () => {
    const folder = folderFor();
    const first = `${tries(0)}; ${updates(1)}; ${saves('a')}; ${tries(1, 2)}; ${updates(2)}; exit 1`;
    const trainer = shell(`echo . >>"$F/starts"; n=$(grep -c . "$F/starts")
      if [ $n = 1 ]; then ${first}; fi; ${tries(5, 2)}; ${tries(6, 2)}; ${updates(2)}; ${saves('b')}; ${isDone}`);
    await fault(TrainingDied, trainer, { folder, rollouts });
    const { progress, trained: all } = await followed(trainer.train(request({ folder, rollouts })));
    expect(shortly(progress)).toEqual(['1: 5,6', 'point', 'saved']);
    expect(all.rollouts).toBe(3);
  });

  it('starts again if the reader stopped before the save', async () => {
    const folder = folderFor();
    const trainer = shell(`${tries(0)}; ${updates(1)}; ${saves('a')}; ${isDone}`);
    const training = trainer.train(request({ folder, rollouts }));
    expect(await training.next()).toMatchObject({ value: { kind: 'rollouts' } });
    await training.return(undefined as never);
    const { progress } = await followed(trainer.train(request({ folder, rollouts })));
    expect(shortly(progress)).toEqual(['0: 0', 'point', 'saved']);
  });

  const tried = (fields: object): string =>
    `echo '${JSON.stringify({ rollout: { task: { id: 'a' }, sample: 0, outcome: 'heads', ...fields } })}'`;

  it.each([
    ['twice in an update', [tried({}), tried({ sample: 1 }), tried({})], 'rollout.sample: found 0 again'],
    [
      'of an update that was reported',
      [tried({ trainingStep: 1 }), updates(1), tried({ trainingStep: 1, sample: 1 })],
      'rollout.trainingStep: found 1 (a number), allowed: more than the last step, 1',
    ],
    [
      'of an earlier update than the one before',
      [tried({ trainingStep: 2 }), tried({ trainingStep: 1 })],
      'rollout.trainingStep: found 1 (a number), allowed: at least that of the rollout before, 2',
    ],
    ['of a later update', [tried({ trainingStep: 2 }), updates(1)], 'step: found 1, allowed: at least 2'],
    [
      'of an unknown family',
      [tried({ family: 'coppr' })],
      'rollout.family: found "coppr" (a string), allowed: a family',
    ],
    ['with an unknown outcome', [tried({ outcome: 'edge' })], 'allowed: an outcome of the environment: heads, tails'],
  ])('fails if it prints one %s', async (_, lines, says) => {
    const trainer = shell([...lines, isDone].join('; '));
    const known = { families: ['gold', 'copper'], outcomes: ['heads', 'tails'] };
    const refused = await fault(InvalidTrainingMessage, trainer, { rollouts, ...known });
    expect(refused.message).toContain(says);
  });

  it('may try a task again in another update, and report spoilt tries', async () => {
    const lines = [
      tried({}),
      updates(1),
      tried({}),
      updates(2),
      tried({ trainingStep: 3 }),
      tried({ trainingStep: 4 }),
    ];
    const spoilt = tried({ sample: 1, outcome: 'fault', error: { kind: 'timeout', message: 'late' } });
    const { trained: all } = await trained([...lines, spoilt, updates(4), isDone].join('; '), {
      ...{ rollouts, outcomes: ['heads'] },
    });
    expect(all.rollouts).toBe(5);
  });
});
