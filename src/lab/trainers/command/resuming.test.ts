import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { allowed } from '../../programs/testing/allowed.ts';
import { isRunning } from '../../programs/testing/running.ts';
import { followed, pointsIn } from '../contract/trainer-contract.ts';
import { FolderTaken, type Trainer } from '../trainer.ts';
import { journalName, TrainingDied } from './messages.ts';
import { openCommandTrainer } from './open.ts';
import { fault, folderFor, isDone, request, saves, shell, updateLine } from './testing/shell.ts';

/** The number of starts, and the resume point of each. */
const counted = `cat "$ICECORE_STAGE_FILE" >>"$F/stages"; n=$(grep -c protocol "$F/stages")`;

function stages(folder: string): { resume: unknown }[] {
  const text = readFileSync(join(folder, 'stages'), 'utf8');
  return text.split(/(?<=^\}\n)/m).map((one) => JSON.parse(one));
}

const stepsOf = (curve: readonly { step: number }[]): number[] => curve.map(({ step }) => step);

describe('an interrupted training', () => {
  it('resumes from the last save, and later messages are repeated', async () => {
    const folder = folderFor();
    const trainer = shell(`${counted}; if [ $n = 1 ]; then ${updateLine(1)}; ${saves('a')}; ${updateLine(2)}; exit 1; fi
      ${updateLine(2, '"reward": 0.9')}; ${updateLine(3)}; ${isDone}`);
    await fault(TrainingDied, trainer, { folder });
    const { progress, trained } = await followed(trainer.train(request({ folder })));
    expect(stages(folder)[1]?.resume).toEqual({
      checkpoint: { reference: join(folder, 'a'), digest: expect.any(String), bytes: 2, step: 1 },
      step: 1,
      spent: { 'agent-steps': 1 },
    });
    expect(stepsOf(pointsIn(progress))).toEqual([2, 3]);
    expect(stepsOf(trained.curve)).toEqual([1, 2, 3]);
    expect(trained.curve[1]?.values).toEqual({ reward: 0.9 });
    expect(trained).toMatchObject({ checkpoint: { step: 1 }, spent: { 'agent-steps': 3 } });
  });

  it.runIf(process.platform === 'linux')('first stops a program that is left from before', async () => {
    const folder = folderFor();
    const lingers = `trap '' TERM PIPE; echo $$ >"$F/pid"; ${updateLine(1)}; sleep 1000 & wait; sleep 1000`;
    const script = `${counted}; if [ $n = 1 ]; then ${lingers}; fi; ${isDone}`;
    const limits = { graceMs: 50 };
    const abandoned = shell(script, { limits }).train(request({ folder }));
    await abandoned.next();
    const { trained } = await followed(shell(script, { limits }).train(request({ folder })));
    expect(trained.exit).toEqual({ code: 0, signal: null });
    expect(isRunning(Number(readFileSync(join(folder, 'pid'), 'utf8')))).toBe(false);
    await expect(abandoned.next()).rejects.toThrow(TrainingDied);
  });

  it('resumes from an earlier save if the last one is missing or changed', async () => {
    const harms = [(file: string) => rmSync(file), (file: string) => writeFileSync(file, 'rotten')];
    for (const harm of harms) {
      const folder = folderFor();
      const first = `${updateLine(1)}; ${saves('a')}; ${updateLine(2)}; ${saves('b')}; exit 1`;
      const trainer = shell(`${counted}; if [ $n = 1 ]; then ${first}; fi; ${isDone}`);
      await fault(TrainingDied, trainer, { folder });
      harm(join(folder, 'b'));
      await followed(trainer.train(request({ folder })));
      expect(stages(folder)[1]?.resume).toMatchObject({ checkpoint: { reference: join(folder, 'a') }, step: 1 });
    }
  });

  it('resumes from the saved update, even if later ones had been reported', async () => {
    const folder = folderFor();
    const late = `echo a >"$F/a"; echo '{"saved": {"file": "a", "step": 1}}'`;
    const trainer = shell(
      `${counted}; if [ $n = 1 ]; then ${updateLine(1)}; ${updateLine(2)}; ${late}; exit 1; fi; ${updateLine(2)}; ${isDone}`,
    );
    await fault(TrainingDied, trainer, { folder });
    const { trained } = await followed(trainer.train(request({ folder })));
    expect(stages(folder)[1]?.resume).toMatchObject({ step: 1, spent: { 'agent-steps': 1 } });
    expect(stepsOf(trained.curve)).toEqual([1, 2]);
  });

  it('resumes after a partially written journal line', async () => {
    const folder = folderFor();
    const trainer = shell(
      `${counted}; if [ $n = 1 ]; then ${updateLine(1)}; ${saves('a')}; exit 1; fi; ${updateLine(2)}; ${isDone}`,
    );
    await fault(TrainingDied, trainer, { folder });
    appendFileSync(join(folder, journalName), '{"kind":"point","poi');
    const { trained } = await followed(trainer.train(request({ folder })));
    expect(stepsOf(trained.curve)).toEqual([1, 2]);
    const once = (await followed(trainer.train(request({ folder })))).trained;
    expect(once).toEqual(trained);
    expect(stages(folder)).toHaveLength(2);
  });
});

describe('a complete training', () => {
  it('is not repeated while its checkpoint exists', async () => {
    const folder = folderFor();
    const first = `${updateLine(1)}; ${saves('a')}`;
    const trainer = shell(`${counted}; if [ $n = 1 ]; then ${first}; fi
      ${updateLine(2)}; echo b >"$F/b"; echo '{"done": {"checkpoint": {"file": "b"}}}'`);
    const once = await followed(trainer.train(request({ folder })));
    expect(await followed(trainer.train(request({ folder })))).toEqual({ progress: [], trained: once.trained });
    expect(stages(folder)).toHaveLength(1);
    rmSync(join(folder, 'b'));
    expect((await followed(trainer.train(request({ folder })))).trained).toEqual(once.trained);
    expect(stages(folder)[1]?.resume).toMatchObject({ step: 1 });
  });

  it('keeps its folder: another budget, seed, start, configuration or command is another training', async () => {
    const folder = folderFor();
    await followed(shell(isDone).train(request({ folder })));
    const others = [
      { budget: { 'agent-steps': 10 } },
      { seed: 'b' },
      { from: { reference: 'x' } },
      { configuration: {} },
    ];
    for (const other of others) {
      const taken = await fault(FolderTaken, shell(isDone), { folder, ...other });
      expect(taken).toMatchObject({ kind: 'conflict', facts: { folder } });
    }
    await fault(FolderTaken, shell(`${isDone} `), { folder });
    expect((await followed(shell(isDone).train(request({ folder })))).trained.exit).toEqual({ code: 0, signal: null });
  });
});

it('a trainer in sh leaves the same bytes, interrupted or not', async () => {
  const program = fileURLToPath(new URL('../../../../examples/trainers/shell-trainer.sh', import.meta.url));
  const open = (): Trainer => openCommandTrainer({ program: allowed(['sh', program]), environment: 'coins' });
  const change = { budget: { 'agent-steps': 1250 } };
  const whole = (await followed(open().train(request(change)))).trained;
  const folder = folderFor();
  let stops = 0;
  for (;;) {
    const training = open().train(request({ ...change, folder }));
    let next = await training.next();
    while (next.done !== true && next.value.kind !== 'saved') next = await training.next();
    if (next.done === true) break;
    await training.return(undefined as never);
    stops += 1;
  }
  expect(stops).toBeGreaterThan(0);
  const { trained } = await followed(open().train(request({ ...change, folder })));
  expect(trained.checkpoint?.digest).toBe(whole.checkpoint?.digest);
  expect(trained.curve).toEqual(whole.curve);
});
