// The result of a training is recorded only if the run can continue from it, and with the code version that trained.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { streamOf } from '../../../../schemas/streams.ts';
import { program } from '../../../lab/environments/command/testing/programs.ts';
import { nameOf } from '../../../lab/programs/program.ts';
import { collect } from '../../../ledger/contract/fixture.ts';
import { runTiny, type TinyPlace, tinyPlace, tinySettings } from '../testing/tiny.ts';
import { UnusableCheckpoint } from './train.ts';

const run = 'tiny00000000';

async function place(): Promise<TinyPlace> {
  const made = await tinyPlace();
  onTestFinished(() => made.close());
  return made;
}

/** A program that trains nothing and leaves this. */
function leaving(checkpoint: string): string[] {
  const script = `
    const { folder } = JSON.parse(require('node:fs').readFileSync(0, 'utf8'));
    require('node:fs').writeFileSync(folder + '/final', 'unreadable');
    console.log('{"step": 1, "spent": {"agent-steps": 800}, "values": {}}');
    console.log('{"done": {"checkpoint": ${checkpoint}}}');`;
  return [process.execPath, '-e', script];
}

async function typesOf({ ledger }: TinyPlace): Promise<string[]> {
  return (await collect(ledger.read(streamOf.run(run)))).map(({ type }) => type);
}

describe('a trainer of the built-in network', () => {
  it.each([
    ['no checkpoint', 'null', 'left no checkpoint'],
    ['an invalid checkpoint', '{"file": "final"}', 'left the checkpoint '],
  ])('that leaves %s fails, without blocking a resume', async (_, checkpoint, said) => {
    const at = await place();
    const trainer = leaving(checkpoint);
    const settings = tinySettings({ trainer });
    const trained = runTiny(at, { run, settings });
    await expect(trained).rejects.toBeInstanceOf(UnusableCheckpoint);
    await expect(trained).rejects.toMatchObject({
      kind: 'bad-input',
      message: expect.stringContaining(`trainer ${nameOf(trainer)} ${said}`),
      facts: { policy: 'neural', folder: join(at.folder, 'runs', run, 'stage-1') },
    });
    expect(await typesOf(at)).toEqual(['RunStarted', 'ConfigAdopted', 'StageStarted', 'RunFailed']);
    rmSync(join(at.folder, 'runs', run, 'stage-1'), { recursive: true });
    await runTiny(at, { run, until: ({ do: next }) => next === 'evaluate' });
    expect((await typesOf(at)).at(-1)).toBe('TrainingRecorded');
  });
});

describe('an environment program that plays the policy', () => {
  async function playedBy(rollout: string): Promise<unknown> {
    const environment = program(`
      describe(r) { say({ request: r.request, ...description, understands: ['rollout'] }); },
      rollout(r) { ${rollout} },`);
    const settings = { environment, configuration: { side: 0 }, policy: 'mine', trainer: leaving('{"file": "final"}') };
    return await runTiny(await place(), { run, settings: tinySettings(settings) }).catch((fault: unknown) => fault);
  }

  it.each([
    ['exits at every rollout', 'process.exit(3);', 'ProgramDied'],
    ['refuses every rollout', "say({ request: r.request, error: { message: 'no' } });", 'ProgramRefused'],
    [
      'gives an invalid verdict',
      "say({ request: r.request, rollout: { task: r.tasks[0].id, sample: 0, answer: 1, verdict: { outcome: 'edge', success: true } } });",
      'InvalidReply',
    ],
  ])('is blamed itself if it %s', async (_, rollout, name) => {
    expect(await playedBy(rollout)).toMatchObject({ name });
  });

  it('blames the checkpoint if only the new one makes it exit', async () => {
    const plays = 'rollout: { task: r.tasks[0].id, sample: 0, answer: 1, verdict: heads }';
    const fault = await playedBy(`if (r.policy.checkpoint) process.exit(3);
      say({ request: r.request, ${plays} }); say({ request: r.request, done: true });`);
    expect(fault).toMatchObject({
      name: 'UnusableCheckpoint',
      message: expect.stringContaining('which the policy mine cannot use: the environment program'),
    });
  });
});

describe('a run that is resumed by another code version', () => {
  it('records the version of each training', async () => {
    const at = await place();
    const began = { version: '0.1.0', commit: 'a'.repeat(40) };
    const goesOn = { version: '0.2.0', commit: 'b'.repeat(40) };
    await runTiny(at, { run, about: { code: began }, until: ({ do: next }) => next === 'train' });
    const { history } = await runTiny(at, {
      run,
      about: { code: goesOn },
      until: ({ do: next }) => next === 'evaluate',
    });
    expect(history.started?.data.code).toEqual(began);
    expect(history.stages[0]?.training?.data.measured).toEqual({ seconds: expect.any(Number), code: goesOn });
  });
});
