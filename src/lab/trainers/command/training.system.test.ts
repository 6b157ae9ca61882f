import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { digestOf } from '../../environments/environment.ts';
import { ProgramNotStarted } from '../../programs/program.ts';
import { allowed } from '../../programs/testing/allowed.ts';
import { isRunning } from '../../programs/testing/running.ts';
import { followed, until } from '../contract/trainer-contract.ts';
import { InvalidTrainingMessage, TrainingDied, TrainingNotDone, TrainingSilent } from './messages.ts';
import { openCommandTrainer } from './open.ts';
import { fault, folderFor, isDone, request, saves, shell, trained, updateLine } from './testing/shell.ts';

describe('a training program', () => {
  it('gets the stage on its standard input and in a file', async () => {
    const folder = folderFor();
    const from = { reference: '/elsewhere/a.ckpt', digest: digestOf('a'), step: 7 };
    await trained(`cat >"$F/heard"; cp "$ICECORE_STAGE_FILE" "$F/read"; ${isDone}`, { folder, from });
    const heard = JSON.parse(readFileSync(join(folder, 'heard'), 'utf8'));
    expect(heard).toEqual({
      protocol: 1,
      environment: 'coins',
      configuration: { side: 1 },
      budget: { 'agent-steps': 9 },
      seed: 'a',
      from,
      folder,
      resume: null,
    });
    expect(JSON.parse(readFileSync(join(folder, 'read'), 'utf8'))).toEqual(heard);
  });

  it('gets the hyper-parameters of the stage, which identify the training', async () => {
    const asked = { folder: folderFor(), hyperparameters: { lr: 0.25 } };
    const script = `cat >"$F/heard"; ${isDone}`;
    await trained(script, asked);
    expect(JSON.parse(readFileSync(join(asked.folder, 'heard'), 'utf8'))).toMatchObject({
      hyperparameters: { lr: 0.25 },
    });
    await trained(script, asked);
    await expect(trained(script, { ...asked, hyperparameters: { lr: 0.5 } })).rejects.toThrow('another training');
  });

  it('gets its arguments unchanged, its folder and its variables', async () => {
    const folder = folderFor();
    const code = `echo "$PWD,$COIN,$1"; ${isDone}`;
    const program = allowed(['sh', '-c', code, 'sh', '$COIN; *'], folder);
    const options = { program, environment: 'coins', variables: { COIN: 'gold' } };
    const { log } = (await followed(openCommandTrainer(options).train(request()))).trained;
    expect(log?.replace(/^\/private/, '')).toBe(`${folder},gold,$COIN; *`);
  });

  it('gives its curve, checkpoint, results, exit and log', async () => {
    const folder = folderFor();
    const said = `{"done": {"spent": {"agent-steps": 9, "tokens": 70}, "results": {"reward": 0.7},
      "learningSignal": [{"family": null, "sampleGroups": 4, "withVariance": 1, "share": 0.25}],
      "sampled": [{"family": "coin", "tasks": 4, "share": 1}]}}`.replaceAll('\n', '');
    const script = `echo loading >&2; ${updateLine(1)}; echo '| loss | 0.3 |'; ${saves('half')}; ${updateLine(2)}; echo '${said}'`;
    const { progress, trained: all } = await trained(script, { folder });
    const half = {
      reference: join(folder, 'half'),
      digest: expect.stringMatching(/^[0-9a-f]{64}$/),
      bytes: 5,
      step: 1,
    };
    const steps = progress.map((one) =>
      one.kind === 'saved' ? one.checkpoint : one.kind === 'point' && one.point.step,
    );
    expect(steps).toEqual([1, half, 2]);
    expect(all).toEqual({
      checkpoint: half,
      spent: { 'agent-steps': 9, tokens: 70 },
      curve: [1, 2].map((step) => ({ step, spent: { 'agent-steps': step }, values: { reward: 0.5 } })),
      signal: [{ family: null, sampleGroups: 4, withVariance: 1, share: 0.25 }],
      sampled: [{ family: 'coin', tasks: 4, share: 1 }],
      results: { reward: 0.7 },
      exit: { code: 0, signal: null },
      log: expect.any(String),
    });
    expect(all.log?.split('\n').sort()).toEqual(['loading', '| loss | 0.3 |']);
  });

  it('may leave a remote checkpoint, or none', async () => {
    const elsewhere = { reference: 's3://bucket/step-9', digest: digestOf('any'), bytes: 12, step: 9 };
    const there = await trained(`echo '{"done": {"checkpoint": ${JSON.stringify(elsewhere)}}}'`);
    expect(there.trained.checkpoint).toEqual(elsewhere);
    const none = await trained(`${saves('half')}; echo '{"done": {"checkpoint": null}}'`);
    expect(none.trained.checkpoint).toBe(null);
  });

  it('may omit the last line end, and ignore its input', async () => {
    const configuration = { long: 'x'.repeat(1e6) };
    const { exit } = (await trained(`exec 0<&-; printf '{"done": {}}'`, { configuration })).trained;
    expect(exit).toEqual({ code: 0, signal: null });
  });

  it('may print a lot, of which the end is kept', async () => {
    const { log } = (await trained(`yes noise | head -c 6000000; ${isDone}; seq 1000 >&2`)).trained;
    expect(log?.split('\n')).toHaveLength(200);
    expect(log?.length).toBeLessThan(10_000);
  });

  it('has a result once it is done, however it exits then', async () => {
    const { exit } = (await trained(`${isDone}; exit 7`)).trained;
    expect(exit).toEqual({ code: 7, signal: null });
    const lingering = shell(`${isDone}; sleep 1000`, { limits: { graceMs: 50 } });
    const ended = (await followed(lingering.train(request()))).trained;
    expect(ended.exit).toEqual({ code: null, signal: 'SIGTERM' });
  });
});

describe('a program that cannot be started', () => {
  it('fails with the reason', async () => {
    const open = (command: [string], folder?: string) =>
      openCommandTrainer({ program: allowed(command, folder), environment: 'coins' });
    const missing = await fault(ProgramNotStarted, open(['no-such-program']));
    expect(missing).toMatchObject({
      kind: 'not-found',
      message: 'the training program no-such-program cannot be started: the program no-such-program does not exist',
    });
    const nowhere = await fault(ProgramNotStarted, open(['sh'], '/no/such/folder'));
    expect(nowhere.message).toMatch(/its working folder \/no\/such\/folder does not exist$/);
    await fault(ProgramNotStarted, open(['a\0b']));
  });
});

describe('a failing program', () => {
  it('is reported with its exit and last words, and its progress is kept', async () => {
    const died = await fault(
      TrainingDied,
      shell(`${updateLine(1)}; ${saves('a')}; ${updateLine(2)}; echo 'no memory' >&2; exit 3`),
    );
    expect(died.kind).toBe('unavailable');
    expect(died.message).toMatch(
      /^the training program sh .* ended with exit code 3 after update 2; its last words: no/,
    );
    expect(died.remedy).toMatch(/^Training will resume from .*\/a\.$/);
    expect(died.facts).toMatchObject({ exit: { code: 3, signal: null }, step: 2 });
    expect(died.partial.curve.map(({ step }) => step)).toEqual([1, 2]);
    expect(died.partial).toMatchObject({ checkpoint: { step: 1 }, spent: { 'agent-steps': 2 }, log: 'no memory' });
    const killed = await fault(TrainingDied, shell('kill -KILL $$'));
    expect(killed.message).toMatch(/was ended by SIGKILL before its first update$/);
    expect(killed.partial).toMatchObject({ checkpoint: null, exit: { code: null, signal: 'SIGKILL' } });
  });

  it('that reads its budget in another unit fails with the units of the stage', async () => {
    const died = await fault(TrainingDied, shell(`echo "KeyError: 'updates'" >&2; exit 1`));
    expect(died.kind).toBe('bad-input');
    expect(died.facts).toMatchObject({ units: ['agent-steps'], missing: 'updates' });
    expect(died.remedy).toBe(
      'The budget of the stage is in agent-steps, and the program seems to read updates. A run keeps its budget, so resuming it fails in the same way: start a new run with --budget updates=N.',
    );
  });

  it('fails if it exits without reporting completion', async () => {
    const ended = await fault(TrainingNotDone, shell(`echo '\\001\\377 {"step'; echo '{"loss": 1}'; ${updateLine(1)}`));
    expect(ended.message).toMatch(/did not print {"done": ...} and ended after update 1$/);
    expect(ended.partial.log).toMatch(/\{"loss": 1\}$/);
    expect(ended.remedy).toMatch(
      /docs\/trainers.md. No checkpoint was saved: the next attempt trains from the start\.$/,
    );
  });

  it.each<[string, string, RegExp]>([
    [
      'a repeated step',
      `${updateLine(2)}; ${updateLine(2)}`,
      /step: found 2, allowed: more than the last step, 2\) after/,
    ],
    [
      'less spent than before',
      `${updateLine(2)}; echo '{"step": 3, "spent": {"agent-steps": 1}, "values": {}}'`,
      /spent.agent-steps: found 1, allowed: at least the amount before, 2/,
    ],
    [
      'a missing file',
      `echo '{"saved": {"file": "a"}}'`,
      /found \/.*\/a, which does not exist, allowed: an existing file/,
    ],
    ['a folder', `mkdir "$F/a"; echo '{"saved": {"file": "a"}}'`, /which is a folder, allowed: an existing file/],
    [
      'another digest',
      `echo a >"$F/a"; echo '{"saved": {"file": "a", "digest": "${digestOf('b')}"}}'`,
      /digest: found [0-9a-f]{64}, allowed: [0-9a-f]{64}, the digest of \/.*\/a/,
    ],
    ['no values', `echo '{"step": 1}'`, /values: found nothing, allowed: an object/],
    [
      'too little spent at the end',
      `${updateLine(2)}; echo '{"done": {"spent": {"agent-steps": 1}}}'`,
      /at least the amount before, 2/,
    ],
  ])('fails if it reports %s', async (_, script, says) => {
    const nonsense = await fault(InvalidTrainingMessage, shell(`${script}; sleep 1000`));
    expect(nonsense.kind).toBe('bad-input');
    expect(nonsense.message).toMatch(says);
    expect(nonsense.facts['said']).toMatch(/^\{/);
  });

  it('is killed if it makes no progress, however much it prints', async () => {
    const chatty = shell(`${updateLine(1)}; while :; do echo waiting; sleep 0.01; done`, {
      limits: { progressMs: 300, graceMs: 5000 },
    });
    const silent = await fault(TrainingSilent, chatty);
    expect(silent.message).toMatch(/made no progress for 0.3 s and was stopped after update 1$/);
    expect(silent.partial.curve).toHaveLength(1);
    expect(silent.partial.exit).toEqual({ code: null, signal: 'SIGTERM' });
    expect(silent.remedy).toMatch(/^It must report an update in that time, and flush its output after every line\. /);
  });
});

it('an unwritable folder ends the training with the reason', async () => {
  const gone = shell(`rm -r "$F"; ${updateLine(1)}; ${isDone}`);
  await expect(followed(gone.train(request()))).rejects.toMatchObject({ code: 'ENOENT' });
});

describe('stopping', () => {
  it('kills the program and all processes it started, even if they resist', async () => {
    const folder = folderFor();
    const deaf = `trap '' TERM; sleep 1000 & echo "$! $$" >"$F/pids"; ${updateLine(1)}; while :; do sleep 0.01; done`;
    const training = shell(deaf, { limits: { graceMs: 50 } }).train(request({ folder }));
    await until('point', training);
    await training.return(undefined as never);
    const pids = readFileSync(join(folder, 'pids'), 'utf8').split(' ').map(Number);
    await vi.waitFor(() => expect(pids.map(isRunning)).toEqual([false, false]));
  });

  it('gives the program time to save, from which it resumes', async () => {
    const folder = folderFor();
    const stop = new AbortController();
    const saver = `trap 'echo late >"$F/late"; echo "{\\"saved\\": {\\"file\\": \\"late\\"}}"; exit 1' TERM;
      if grep -q '"resume": {' "$ICECORE_STAGE_FILE"; then cat "$ICECORE_STAGE_FILE" >&2; ${isDone}; exit 0; fi
      ${updateLine(1)}; while :; do sleep 0.01; done`;
    const training = shell(saver).train(request({ folder, signal: stop.signal }));
    await until('point', training);
    stop.abort(new Error('stopped by a person'));
    await expect(training.next()).rejects.toThrow('stopped by a person');
    const { checkpoint, curve } = (await followed(shell(saver).train(request({ folder })))).trained;
    expect(checkpoint).toMatchObject({ reference: join(folder, 'late'), step: 1 });
    expect(curve).toHaveLength(1);
  });
});
