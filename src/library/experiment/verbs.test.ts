// The verbs of an experiment as functions: without a command line, a terminal or a process.
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunResult } from '../../../schemas/run-result.ts';
import { temporaryFolder } from '../../base/testing/temporary-folder.ts';
import { tinySettings } from '../../producers/run/testing/tiny.ts';
import { ablate, planAblation, readAblation } from '../ablation/ablate.ts';
import { ablations } from '../ablation/list.ts';
import { newSession, sessionIn, type TestSession } from '../testing/session.ts';
import { adopt } from './adopt.ts';
import type { RunProgress } from './advance.ts';
import { annotate } from './annotate.ts';
import { contextFor } from './context.ts';
import { fork } from './fork.ts';
import { propose } from './propose.ts';
import { type RunOptions, resume, run } from './run.ts';
import { finishStage, startStage } from './stage.ts';
import { work } from './worker.ts';

const settings: RunOptions = { ...tinySettings(), name: 'mine', jobs: 1 };
const whole = mkdtempSync(join(tmpdir(), 'icecore-verbs-'));
const progress: RunProgress[] = [];
let made: RunResult;
let session: TestSession;

beforeAll(async () => {
  session = sessionIn(whole);
  made = await run(session, { ...settings, onProgress: (one) => void progress.push(one) });
}, 60_000);
afterAll(() => rmSync(whole, { recursive: true, force: true }));

/** A copy of the completed run. */
function copy(): TestSession {
  const cwd = temporaryFolder();
  cpSync(whole, cwd, { recursive: true });
  return sessionIn(cwd);
}

describe('run', () => {
  it('completes and reports its progress', () => {
    expect(made).toMatchObject({ name: 'mine', ended: 'completed', stages: 2, ledger: expect.stringContaining(whole) });
    expect(session.notices).toContainEqual({ kind: 'workspace-created', path: join(whole, '.icecore') });
    const [first] = progress;
    expect(first).toMatchObject({ kind: 'opened', settings: { name: 'mine', stages: 2 }, history: { started: null } });
    const decided = progress.flatMap((one) => (one.kind === 'decided' ? [one.decision.type] : []));
    expect(decided.filter((type) => type === 'StageCompleted')).toHaveLength(2);
    expect(decided.at(-1)).toBe('RunCompleted');
  });

  it.each<[string, object, string]>([
    ['no stages', { stages: 0 }, 'stages: found 0'],
    ['a list of stages', { stages: [3] }, 'stages: found a list'],
    ['an unknown engineer', { engineer: 'ruls' }, 'there is no engineer "ruls"'],
    ['an empty program', { trainer: [] }, 'trainer: found a list of 0'],
    ['a reserved name', { name: 'latest' }, '--name: found "latest"'],
    ['half a configuration', { configuration: { agents: 2 } }, 'sizes'],
    ['a run file that is missing', { file: 'none.json' }, 'none.json: there is no such file'],
    ['no threads', { jobs: 0 }, 'jobs: found 0, allowed: a whole number from 1 to 1,024'],
    ['a lease without duration', { leaseSeconds: 0 }, 'leaseSeconds: found 0'],
    ['a negative spending cap', { spendingCap: -1 }, 'spendingCap: found -1'],
    ['workers without shards', { workersOnly: true }, 'needs a run that is split into shards'],
  ])('refuses %s before anything is created', async (_, change, message) => {
    const empty = newSession();
    await expect(run(empty, { ...settings, ...change })).rejects.toThrow(message);
    expect(existsSync(join(empty.cwd, '.icecore'))).toBe(false);
  });

  it('trusts a program in options, and asks about one in a run file', async () => {
    const own = newSession();
    const engineer = ['./missing.py'];
    writeFileSync(join(own.cwd, 'run.json'), JSON.stringify({ engineer }));
    await expect(run(own, { ...settings, engineer })).rejects.toThrow('the engineer program ./missing.py cannot be');
    await expect(run(own, { file: 'run.json' })).rejects.toMatchObject({ name: 'UntrustedPrograms' });
    await expect(run(own, { file: 'run.json', programs: true })).rejects.toThrow('the engineer program ./missing.py');
  });

  it('says that nothing is recorded if its signal stops it before that', async () => {
    const controller = new AbortController();
    const early = sessionIn(temporaryFolder(), controller.signal);
    const stopping = run(early, { ...settings, onProgress: () => controller.abort('the test') });
    await expect(stopping).rejects.toMatchObject({
      kind: 'interrupted',
      message: 'stopped by the test; nothing was recorded',
      remedy: '',
    });
    await expect(resume(sessionIn(early.cwd), 'mine')).rejects.toMatchObject({ kind: 'not-found' });
  });

  it('can be resumed after its signal stopped it, with the same results', async () => {
    const controller = new AbortController();
    const stopped = sessionIn(temporaryFolder(), controller.signal);
    const stopping = run(stopped, {
      ...settings,
      onProgress: (one) => {
        if (one.kind === 'training' && one.stage === 2) controller.abort('the test');
      },
    });
    await expect(stopping).rejects.toMatchObject({
      kind: 'interrupted',
      message: 'stopped by the test; everything recorded so far is kept',
      remedy: 'Continue with: icecore resume mine',
      cause: 'the test',
    });
    const again = await resume(sessionIn(stopped.cwd), 'mine', { jobs: 1 });
    expect(again).toMatchObject({ ended: 'completed', stages: 2, results: made.results, spent: made.spent });
    expect(again.checkpoint?.split('/').at(-1)).toBe(made.checkpoint?.split('/').at(-1));
  }, 60_000);
});

describe('a completed run', () => {
  it('is unchanged by resume', async () => {
    const seen: RunProgress[] = [];
    expect(await resume(session, 'latest', { onProgress: (one) => void seen.push(one) })).toEqual(made);
    expect(seen).toEqual([]);
    await expect(resume(session, 'other')).rejects.toMatchObject({ kind: 'not-found' });
    await expect(work(session, 'mine')).rejects.toThrow('is not split into shards');
  });

  it('has the context its engineer was shown, and can build any other', async () => {
    const recorded = await contextFor(session, 'mine@2');
    expect(recorded).toMatchObject({ name: 'mine', stage: 2, recorded: { stream: `run-${made.run}` } });
    expect(recorded.text.text).toContain('stage');
    const built = await contextFor(session, 'mine@2', { context: 'failures', contextTokens: 2000 });
    expect(built).toMatchObject({ contextForm: { modules: ['failures'] }, budget: 2000, recorded: null });
  });

  it('records the same annotation of one actor only once', async () => {
    const at = copy();
    const noted = await annotate(at, 'mine@2', 'too many falls', { knob: '8.hole', actor: 'human/ada', tags: ['a'] });
    expect(noted).toMatchObject({ run: made.run, stage: 2, isNew: true });
    expect(await annotate(at, 'mine@2', 'too many falls', { knob: '8.hole', actor: 'human/ada', tags: ['a'] })).toEqual(
      { ...noted, isNew: false },
    );
    await expect(annotate(at, 'mine', 'x', { knob: '8.holes' })).rejects.toMatchObject({ name: 'UnknownKnob' });
  });

  it('can be forked, decided by a human, and resumed', async () => {
    const at = copy();
    const seen: string[] = [];
    const forked = await fork(at, 'mine@2', {
      ...{ engineer: 'human', name: 'by-hand', jobs: 1 },
      onProgress: ({ kind }) => void seen.push(kind),
    });
    expect(forked).toMatchObject({ name: 'by-hand', ended: 'waiting', stages: 1 });
    expect(seen.slice(0, 2)).toEqual(['forked', 'opened']);

    const dry = await propose(at, 'by-hand', { engineer: 'rules', dryRun: true });
    expect(dry).toMatchObject({ stage: 2, recorded: null, out: null, context: { tokens: expect.any(Number) } });
    const proposal = await propose(at, 'by-hand', { engineer: 'rules', output: 'next.json' });
    expect(proposal).toMatchObject({ out: 'next.json', recorded: { stream: `run-${forked.run}` } });
    const next = JSON.parse(readFileSync(join(at.cwd, 'next.json'), 'utf8'));
    const [knob = ''] = Object.keys(next.reasons);

    await expect(adopt(at, { ...next, stage: 'first' }, { source: 'next.json' })).rejects.toThrow('next.json: stage');
    await expect(adopt(at, { agents: 2 })).rejects.toThrow('the decision');
    await expect(adopt(at, next, { run: 'mine' })).rejects.toThrow('was made for run by-hand');
    const adopted = await adopt(at, next, {
      reasons: { [knob]: { reason: 'it falls too often' } },
      actor: 'human/ada',
    });
    expect(adopted).toMatchObject({ name: 'by-hand', stage: 2, next: 'icecore resume by-hand' });
    expect(adopted.adopted.changes.find((change) => change.knob === knob)).toMatchObject({
      reason: 'it falls too often',
    });
    await expect(adopt(at, next)).rejects.toMatchObject({ kind: 'conflict' });

    expect(await resume(at, 'by-hand', { jobs: 1 })).toMatchObject({ ended: 'completed', stages: 2 });
  }, 60_000);

  it('can be ablated: planned, executed and read again', async () => {
    const at = copy();
    const options = { engineers: ['rules', 'fixed'], contexts: ['failures'], baselines: 'none', jobs: 1 } as const;
    const plan = await planAblation(at, ['mine'], options);
    expect(plan).toMatchObject({ state: 'new', depth: 'propose', done: 0 });
    expect(plan.arms.map(({ arm }) => arm)).toEqual(['rules/failures', 'fixed']);
    const kinds = new Set<string>();
    const done = await ablate(at, ['mine'], { ...options, onProgress: ({ kind }) => void kinds.add(kind) });
    expect(done).toMatchObject({ ablation: plan.ablation, state: 'completed', errored: [] });
    expect([...kinds]).toEqual(expect.arrayContaining(['opened', 'begun', 'done']));
    expect(await readAblation(at)).toEqual(done);
    expect(await ablations(at)).toMatchObject({
      ...{ total: 1, truncated: false },
      rows: [
        {
          ...{ ablation: done.ablation, state: 'completed', depth: 'propose', arms: ['rules/failures', 'fixed'] },
          histories: [{ run: made.run, name: 'mine' }],
        },
      ],
    });
    expect(await planAblation(at, ['mine'], options)).toMatchObject({ state: 'completed', done: plan.decisions });
    await expect(planAblation(at, ['mine'], { factorial: [], preset: 'paper' })).rejects.toThrow(
      'allowed: one of them',
    );
    await expect(planAblation(at, ['mine'], { level: 95 })).rejects.toThrow('level: found "95"');
    await expect(readAblation(at, 'none')).rejects.toMatchObject({ kind: 'not-found' });
  }, 60_000);
});

it('a stage that is trained elsewhere starts once, says what to train, and accepts the result', async () => {
  const at = newSession();
  const { trainer: _, name: __, ...others } = settings;
  const spec = await startStage(at, 'hand', others);
  expect(spec).toMatchObject({ name: 'hand', stage: 1, stages: 2, budget: { 'agent-steps': 800 }, from: null });
  expect(await startStage(at, 'hand')).toEqual(spec);
  await expect(startStage(at, 'hand', { stages: 3 })).rejects.toThrow('hand began with stages 2');
  await expect(resume(at, 'hand')).rejects.toMatchObject({ name: 'TrainedElsewhere' });
  await expect(finishStage(at, 'hand@2')).rejects.toThrow('hand has no stage 2: no stage is complete');
  const files = readdirSync(whole, { recursive: true, encoding: 'utf8' });
  const checkpoint = join(whole, files.find((path) => path.endsWith(made.checkpoint ?? 'none')) ?? '');
  const training = { checkpoint, spent: { 'agent-steps': 700 }, learningSignal: [] };
  expect(await finishStage(at, 'hand', training)).toMatchObject({
    ...{ stage: 1, ended: 'stage', spent: { 'agent-steps': 700 }, next: 'icecore stage start hand' },
  });
  await expect(planAblation(at, ['hand'], { factorial: [], depth: 'train' })).rejects.toThrow(
    'allowed: propose, because hand is trained elsewhere',
  );
}, 60_000);
