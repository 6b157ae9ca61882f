// A run around a trainer that icecore does not start.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { json } from '../testing/harness.ts';
import { faultsAgainst } from '../testing/published.ts';
import { emptyPlace, hasPython, type Place, placeWith, tiny, trainer } from './testing/place.ts';

const place = placeWith({ ...tiny, engineer: 'rules', name: 'mine' });
const { trainer: _, ...settings } = { ...tiny, engineer: 'rules' };

/** What the trainer printed. */
const curve = 'curve.ndjson';

function train({ folder }: Place, spec: string): void {
  const [program, ...words] = trainer;
  writeFileSync(join(folder, curve), execFileSync(program, words, { input: spec }));
}

async function begun(): Promise<{ at: Place; spec: string }> {
  const at = emptyPlace();
  at.write('run.json', settings);
  const { stdout } = await at.icecore('stage', 'start', 'hand', '--file', 'run.json', '--programs');
  return { at, spec: stdout };
}

describe.skipIf(!hasPython)('icecore stage', () => {
  it('gives the same results as icecore run with the same trainer', async () => {
    const at = place();
    at.write('run.json', settings);
    const start = ['stage', 'start', 'hand', '--file', 'run.json', '--programs'];
    const ends: unknown[] = [];
    for (const stage of [1, 2]) {
      const { stdout } = await at.icecore(...start);
      expect(faultsAgainst('stage-start', JSON.parse(stdout))).toEqual([]);
      expect(JSON.parse(stdout)).toMatchObject({ name: 'hand', stage, stages: 2, resume: null });
      train(at, stdout);
      const finished = json(await at.icecore('stage', 'finish', 'hand', '--curve', curve, '--json'));
      expect(faultsAgainst('stage-finish', finished)).toEqual([]);
      ends.push(finished);
    }
    expect(ends).toMatchObject([
      { ended: 'stage', stage: 1, next: 'icecore stage start hand' },
      { ended: 'completed', stage: 2, next: null },
    ]);
    const [mine, hand] = [
      json(await at.icecore('show', 'mine', '--json')),
      json(await at.icecore('show', 'hand', '--json')),
    ];
    expect(figuresOf(hand)).toEqual(figuresOf(mine));
    const nothing = await at.icecore(...start);
    expect(nothing).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('there is nothing left to train'),
    });
  });

  it('records the training rollouts in the output of the trainer, and the run is fully recorded', async () => {
    const { at, spec } = await begun();
    train(at, spec);
    const tries = [3, 4].map((sample) =>
      JSON.stringify({
        rollout: { task: { id: 'sum-7' }, family: 'chains', sample, trainingStep: 1, outcome: 'right', reward: 1 },
      }),
    );
    const printed = at.read(curve);
    const refusals = {
      chians: 'line 1: rollout.family: found "chians"',
      chains: 'line 2: rollout.sample: found 3 again',
    };
    for (const [family, says] of Object.entries(refusals)) {
      const again = (tries[0] ?? '').replace('chains', family);
      writeFileSync(join(at.folder, curve), [again, again, printed].join('\n'));
      const refused = await at.icecore('stage', 'finish', 'hand', '--curve', curve);
      expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining(says) });
    }
    writeFileSync(join(at.folder, curve), ['loading', ...tries, printed].join('\n'));
    expect(await at.icecore('stage', 'finish', 'hand', '--curve', curve)).toMatchObject({ code: 0 });
    const counted = "SELECT sample, training_step, reward FROM rollouts WHERE part = 'training' ORDER BY sample";
    expect(json(await at.icecore('sql', counted, '--json'))['rows']).toEqual([
      { sample: 3, training_step: 1, reward: 1 },
      { sample: 4, training_step: 1, reward: 1 },
    ]);
    expect((await at.icecore('show', 'hand')).stdout).not.toContain('not fully recorded');
    expect(await at.icecore('verify', 'hand')).toMatchObject({ code: 0 });
    at.write('bad.ndjson', { rollout: { reward: 1 } });
    const { stdout: next } = await at.icecore('stage', 'start', 'hand');
    train(at, next);
    const refused = await at.icecore('stage', 'finish', 'hand', '--curve', 'bad.ndjson');
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('bad.ndjson, line 1: rollout.outcome') });
  });

  it('shows that the run waits for training, and the command to type after it', async () => {
    const { at } = await begun();
    const { stdout, stderr } = await at.icecore('show', 'hand');
    expect(stdout).toMatch(/^hand: waiting for the training of stage 1, done 0\/2, /);
    expect(stderr).toMatch(/^ +when it is trained +icecore stage finish hand --checkpoint FILE$/m);
    expect((await at.icecore('show', 'hand', '--verbose')).stdout).toMatch(
      /^hand {2}waiting for the training of stage 1/,
    );
    expect((await at.icecore('runs')).stdout).toContain('waiting: training');
    const shown = json(await at.icecore('show', 'hand', '--json'));
    expect(shown).toMatchObject({ state: 'stopped', waiting: { for: 'training', stage: 1 } });
  });

  it("prints the values of the trainer's knobs at every stage", async () => {
    const at = emptyPlace();
    const knobs = [{ name: 'lr', meaning: 'step size', range: { min: 0.1, max: 0.9 }, step: 0.1, start: 0.5 }];
    at.write('run.json', { ...settings, engineer: 'random', trainer: { name: 'external', knobs } });
    const start = ['stage', 'start', 'hand', '--file', 'run.json', '--programs'];
    const { stdout } = await at.icecore(...start);
    expect(faultsAgainst('stage-start', JSON.parse(stdout))).toEqual([]);
    expect(JSON.parse(stdout)).toMatchObject({ hyperparameters: { lr: 0.5 } });
    expect(await at.icecore(...start)).toMatchObject({ code: 0, stdout });
    train(at, stdout);
    const finished = await at.icecore('stage', 'finish', 'hand', '--curve', curve);
    expect(finished.stderr).not.toContain('resumes in stage');
    expect(await at.icecore('show', 'hand@2')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('stage 2 of hand is decided, but has not begun\n  icecore why hand@2 shows'),
    });
    const started = await at.icecore('stage', 'start', 'hand');
    expect(started.stderr).toContain('hand resumes in stage 2');
    const { hyperparameters } = JSON.parse(started.stdout);
    const [changed] = JSON.parse((await at.icecore('show', 'hand@2', '--json')).stdout).decision.changes.filter(
      ({ knob }: { knob: string }) => knob === 'trainer.lr',
    );
    expect(changed).toMatchObject({ from: 0.5, to: hyperparameters.lr });
    expect(await at.icecore('run', '--file', 'run.json', '--programs')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('stage start NAME'),
    });
  });

  it('does not start a run by its name alone, and shows what to add', async () => {
    const start = 'To start a run, give at least one of its settings: icecore stage start mine --stages 3.';
    const at = emptyPlace();
    for (const named of ['there is no ledger', 'there is no run "mine"']) {
      const { code, stderr } = await at.icecore('stage', 'start', 'mine');
      expect([code, stderr]).toEqual([1, expect.stringContaining(named)]);
      expect(stderr).toContain(start);
      await at.icecore('init');
    }
  });

  it('prints the same specification again, with or without settings', async () => {
    const { at, spec } = await begun();
    const before = await at.events();
    expect((await at.icecore('stage', 'start', 'hand')).stdout).toBe(spec);
    expect((await at.icecore('stage', 'start')).stdout).toBe(spec);
    expect((await at.icecore('stage', 'start', 'hand', '--engineer', 'rules', '--stages', '2')).stdout).toBe(spec);
    expect(await at.events()).toBe(before);
  });

  it('refuses invalid input before anything is written', async () => {
    const { at, spec } = await begun();
    train(at, spec);
    at.write('bad.ndjson', { step: 1 });
    at.write('prose.ndjson', 'hello');
    const before = await at.events();
    const refused: readonly [string[], string][] = [
      [['start', 'hand', '--stages', '3'], 'hand began with stages 2'],
      [['start', 'hnad'], 'Did you mean hand?'],
      [['start', 'other', '--engineer', 'ruls'], 'Did you mean rules?'],
      [['start', 'a b', '--stages', '2'], 'found "a b"'],
      [['finish', 'hand'], 'the training of hand left no checkpoint that can be found'],
      [['finish', 'hand@2', '--curve', 'curve.ndjson'], 'hand has no stage 2: no stage is complete'],
      [['finish', 'hand', '--curve', 'bad.ndjson'], 'bad.ndjson, line 1: values: found nothing'],
      [['finish', 'hand', '--curve', 'prose.ndjson'], 'no line reports an update'],
      [['finish', 'hand', '--curve', 'none.ndjson'], 'there is no such file'],
      [['finish', 'hand', '--curve', 'curve.ndjson', '--spent', '500'], '--spent: found "500"'],
      [['finish', 'hand', '--curve', 'curve.ndjson', '--signal', 'chain=1/2'], 'Did you mean chains?'],
      [['finish', 'hand', '--curve', 'curve.ndjson', '--signal', '3/2'], 'allowed: a whole number from 0 to 2'],
      [['sart'], 'Did you mean icecore stage start?'],
    ];
    for (const [words, said] of refused) {
      const { code, stderr } = await at.icecore('stage', ...words);
      expect({ words, failed: code > 0, stderr }).toEqual({
        words,
        failed: true,
        stderr: expect.stringContaining(said),
      });
    }
    expect(await at.events()).toBe(before);
  });

  it('names the run and the policy it needs if the environment cannot play a checkpoint', async () => {
    const at = emptyPlace();
    expect(await at.icecore('stage', 'start', 'lakes', '--stages', '1', '--suite', 'none')).toMatchObject({ code: 0 });
    at.write('policy.json', { skill: 0.5 });
    const { code, stderr } = await at.icecore('stage', 'finish', 'lakes', '--checkpoint', 'policy.json');
    expect(code).toBe(1);
    expect(stderr).toContain(
      `icecore: --checkpoint: lakes cannot use ${join(at.folder, 'policy.json')}, because lake plays only checkpoints of the policy neural: `,
    );
    expect(stderr).toContain(
      '  Hand in a checkpoint that neural wrote. For a policy of your own, start a run whose environment plays it: icecore stage start NAME --environment "python3 environment.py" --policy mine (docs/environments.md).\n',
    );
  });

  it('records no training with an unusable checkpoint, and accepts another one', async () => {
    const at = emptyPlace();
    const start = ['stage', 'start', 'rooms', '--environment', 'dungeon', '--stages', '1', '--suite', 'none'];
    expect(await at.icecore(...start)).toMatchObject({ code: 0 });
    at.write('junk.json', 'hi');
    const junk = await at.icecore('stage', 'finish', 'rooms', '--checkpoint', 'junk.json');
    expect(junk).toMatchObject({ code: 1, stdout: '' });
    expect(junk.stderr).toContain(join(at.folder, 'junk.json'));
    expect(junk.stderr).not.toContain('icecore resume');
    const misspelled = await at.icecore('stage', 'finish', 'rooms', '--checkpoint', 'godo.json');
    expect(misspelled.stderr).toContain('There is no file godo.json here, so it was taken for a name on a server.');
    expect((await at.icecore('show', 'rooms')).stdout).not.toMatch(/failed/i);
    at.write('good.json', { state: Array.from({ length: 90 }, () => 0) });
    const good = await at.icecore('stage', 'finish', 'rooms', '--checkpoint', 'good.json');
    expect(good).toMatchObject({ code: 0 });
  });

  it('records the budget spent and the learning signal given as options, only once per stage', async () => {
    const { at, spec } = await begun();
    at.write('pupil.json', { ...(JSON.parse(spec) as object) });
    train(at, spec);
    const { done } = JSON.parse(at.read('curve.ndjson').trimEnd().split('\n').at(-1) ?? '') as {
      done: { checkpoint: { file: string } };
    };
    const handed = [
      'hand',
      '--checkpoint',
      done.checkpoint.file,
      '--spent',
      'agent-steps=512',
      '--signal',
      'chains=3/4',
    ];
    expect((await at.icecore('stage', 'finish', ...handed)).code).toBe(0);
    const { stdout } = await at.icecore('event', 'tail', '--type', 'TrainingRecorded', '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      data: {
        trainer: { name: 'external' },
        spent: { 'agent-steps': 512 },
        learningSignal: [{ family: 'chains', sampleGroups: 4, withVariance: 3, share: 0.75 }],
        curve: [],
        measured: {},
      },
    });
    const again = await at.icecore('stage', 'finish', ...handed);
    expect(again.stderr).toContain('stage 2 of hand has not begun');
    const saidOf = async (stage: number): Promise<string> =>
      (await at.icecore('stage', 'finish', `hand@${stage}`, ...handed.slice(1))).stderr;
    expect(await saidOf(1)).toMatch(/stage 1 of hand is finished, and stage 2 has not begun\n.* starts stage 2 /);
    expect(await saidOf(2)).toContain('stage 2 of hand has not begun');
    expect(await saidOf(5)).toContain('hand has no stage 5: 1 stage is complete');
  });

  it('is suggested by resume and run for an external trainer, and suggests resume for others', async () => {
    const { at } = await begun();
    expect((await at.icecore('resume', 'hand')).stderr).toContain('icecore stage start hand prints what');
    expect((await at.icecore('run', '--trainer', 'external')).stderr).toContain('icecore stage start NAME');
    const mine = place();
    expect((await mine.icecore('stage', 'start', 'mine')).stderr).toContain('icecore resume mine');
  });
});

/** The figures that do not depend on who trained. */
function figuresOf({ stages }: Record<string, unknown>): unknown {
  return (stages as Record<string, unknown>[]).map(({ stage, valid, signal, failures }) => ({
    stage,
    valid,
    signal,
    failures,
  }));
}
