// The result of a training is recorded only if the run can continue from it, and with the code version that trained.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { streamOf } from '../../../../schemas/streams.ts';
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
    ['a file that is none', '{"file": "final"}', 'left the checkpoint '],
  ])('that leaves %s fails, and nothing is recorded that blocks a resume', async (_, checkpoint, said) => {
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
