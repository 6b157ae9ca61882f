import { describe, expect, it } from 'vitest';
import {
  addDecision,
  addProposal,
  addStage,
  configurationOf,
  descriptorOf,
  evenly,
  Recording,
  sizes,
  wholeRun,
} from '../../analysis/history/testing/recording.ts';
import { displayWidth } from '../../base/terminal.ts';
import { json, lines, ownColour, steering } from '../testing/harness.ts';
import { faultsAgainst } from '../testing/published.ts';
import { placeWith } from './testing/looking.ts';

describe('icecore show of a run', () => {
  it('prints with --verbose its settings, stages, changes, alerts and benchmarks', async () => {
    const { look } = await placeWith(wholeRun());
    const shown = await look('show', '--verbose');
    expect(shown.code).toBe(0);
    expect(shown.stdout).toBe(await look('show', '--verbose', 'quiet').then(({ stdout }) => stdout));
    expect(shown.stdout).toContain('quiet-otter  completed, 3 of 3 stages');
    for (const said of [
      /^ +engineer +gpt, model gpt-5.4, reads failures$/m,
      /^ +context +combined: failures stats behaviour$/m,
      /^ +1 +█▆▆ +43\.3 \[38, 49\] +21\.7 \[17, 27\] +56\.0 +hole 32\.5, vertex-conflict 10\.0$/m,
      /^ +2 +▄▇█ +64\.0 /m,
      /^ +2 +gpt: 3\.data 0\.4 → 0\.2, 5\.data 0\.3 → 0\.45, 5\.hole 0\.3 → 0\.2, 1 more; 1 clamp \(5\.hole 0\.18 → 0\.2, step\)$/m,
      /^ +3 +configuration kept after the answer of gpt: no change; its answer was rejected as invalid, 5\.data: found "much"/m,
      /stage 2: what was mastered is being forgotten in 3: valid 0\.91 → 0\.74/,
      /^stage +wait-50$/m,
    ])
      expect(shown.stdout).toMatch(said);
  });

  it('suggests icecore stage finish to resume a run with an external trainer', async () => {
    const handedIn = new Recording('handed-in');
    handedIn.add('RunStarted', null, {
      ...{ name: 'handed-in', environment: { name: 'lake' }, trainer: { name: 'external' }, stages: 2 },
    });
    handedIn.add('StageStarted', 1, { configuration: configurationOf(evenly(sizes)), seed: 1 });
    handedIn.add('TrainingRecorded', 1, { trainer: { name: 'external' } });
    handedIn.add('RunFailed', 1, { reason: 'interrupted', message: 'stopped', resumable: true });
    const { look } = await placeWith(handedIn);
    expect((await look('show', 'handed-in')).stderr).toMatch(/^ +resume it +icecore stage finish handed-in$/m);
  });

  it('prints a summary line, then each stage with its main change', async () => {
    const { look } = await placeWith(wholeRun());
    const { stdout } = await look('show');
    expect(lines(stdout)[0]).toBe('quiet-otter: done 3/3, valid 43 → 64 %, lake, gpt with context combined, seed 7');
    expect(stdout).toMatch(/^ +1 +█▆▆ +43 \[38, 49\] +initial configuration$/m);
    expect(stdout).toMatch(/^ +2 +▄▇█ +64 \[58, 69\] +gpt: 3\.data 0\.4 → 0\.2 and 3 more$/m);
    expect(stdout).toMatch(/^ +3 +▄▇█ .*configuration kept: the answer of gpt was rejected$/m);
    expect(stdout).toContain('Alert: stage 2: what was mastered is being forgotten in 3');
    const stage = await look('show', 'latest@2');
    expect(lines(stage.stdout)[0]).toMatch(/^quiet-otter@2: complete, valid 64 \[58, 69\] %, optimal \d+ %$/);
    expect(stage.stdout).toMatch(/^5 +0\.45 +0\.2 +50 \[40, 60\] +\S+ \d+/m);
  });

  it('reports a stage whose external training exceeded its budget', async () => {
    const recording = new Recording('handed-in');
    const budget = { 'agent-steps': 400_000 };
    recording.add('RunStarted', null, { name: 'handed-in', environment: { name: 'lake' }, budget });
    const made = { knobs: evenly(sizes), valid: { 3: 10 }, failures: {}, signal: 0 };
    addStage(recording, 1, made);
    addStage(recording, 2, { ...made, trained: { trainer: { name: 'external' }, spent: { 'agent-steps': 900_000 } } });
    const { look } = await placeWith(recording);
    const line = 'stage 2: training took 900,000 agent-steps, more than its budget of 400,000';
    for (const asked of ['handed-in', 'handed-in@2'])
      expect((await look('show', '--verbose', asked)).stdout).toContain(line);
    expect((await look('show', '--verbose', 'handed-in@1')).stdout).not.toContain('its budget');
    const stages = json(await look('show', '--verbose', '--json'))['stages'];
    expect(stages).toMatchObject([
      { overspent: [] },
      { overspent: [{ unit: 'agent-steps', budget: 400_000, spent: 900_000 }] },
    ]);
  });

  it.each([
    [
      { name: 'external', version: '1' },
      'To record them, give icecore stage finish --curve a file that has them (docs/trainers.md).',
    ],
    [{ name: 'drill', version: '1' }, 'The trainer "drill" reports none.'],
  ])(
    'reports training rollouts that were not recorded, and how to record them with the trainer %j',
    async (trainer, how) => {
      const recording = new Recording('silent');
      const started = { name: 'silent', environment: { name: 'lake' }, options: { record: 'all' }, trainer };
      recording.add('RunStarted', null, started);
      addStage(recording, 1, { knobs: evenly(sizes), valid: { 3: 10 }, failures: {}, signal: 0 });
      const { stdout } = await (await placeWith(recording)).look('show', 'silent');
      expect(stdout).toContain('not fully recorded: no training rollouts of stage 1\n');
      expect(stdout).toContain(
        `Decisions and results are not affected, but icecore verify --recompute cannot check figures without their rollouts. ${how}`,
      );
    },
  );

  it('suggests next commands, all of which succeed, unless --quiet', async () => {
    const { look } = await placeWith(wholeRun());
    const { stderr } = await look('show', '--verbose');
    expect(stderr).toContain('icecore diff quiet-otter@2 quiet-otter@3');
    const typed = lines(stderr).flatMap((line) => /icecore ((?:show|diff|event) .+)$/.exec(line)?.[1] ?? []);
    expect(typed).toHaveLength(3);
    for (const line of typed) expect(await look(...line.split(' '))).toMatchObject({ code: 0 });
    expect((await look('show', '--verbose', '--quiet')).stderr).toBe('');
  });

  it('prints JSON that matches its schema, without hints', async () => {
    const { look } = await placeWith(wholeRun());
    const shown = await look('show', '--verbose', '--json');
    expect(faultsAgainst('show', json(shown))).toEqual([]);
    expect(shown.stderr).toBe('');
    expect(json(shown)).toMatchObject({
      state: 'completed',
      done: 3,
      stages: [{ stage: 1 }, { stage: 2 }, { stage: 3 }],
    });
  });

  it('fits 80 columns, like diff and runs, and prints the same text with and without colours', async () => {
    const { look, within } = await placeWith(wholeRun());
    const answers = [['show'], ['show', 'latest@2'], ['diff', 'latest@2']];
    for (const argv of [...answers, ...answers.map((words) => [...words, '--verbose']), ['runs']]) {
      const plain = (await within({ terminal: 80, env: { NO_COLOR: '1' } })(...argv)).stdout;
      for (const line of lines(plain)) expect(displayWidth(line), line).toBeLessThanOrEqual(80);
      const coloured = (await within({ terminal: 80 })(...argv)).stdout;
      expect(coloured).toMatch(ownColour);
      expect(coloured.replaceAll(ownColour, '')).toBe(plain);
      expect((await look(...argv)).stdout).not.toMatch(ownColour);
    }
  });

  it('prints one line for each of 200 stages', async () => {
    const recording = new Recording('long');
    const families = Array.from({ length: 25 }, (_, i) => `g${i}`);
    const descriptor = descriptorOf(families, 'wide');
    recording.add('RunStarted', null, { name: 'long', environment: { name: 'wide' }, descriptor, stages: 200 });
    for (let stage = 1; stage <= 200; stage++) {
      addStage(recording, stage, { knobs: evenly(families), valid: { g0: 50 }, failures: {}, signal: 0.5 });
    }
    const { look } = await placeWith(recording);
    const { stdout } = await look('show', '--verbose', 'long');
    expect(stdout.match(/^ +\d+ +█{23}… +50\.0 /gm)).toHaveLength(200);
    expect(stdout).toContain('… (25 families; icecore show RUN@K has them all)');
  });

  it('prints how far an incomplete stage is, and the decision for a stage that has not begun', async () => {
    const recording = new Recording('half');
    const descriptor = descriptorOf(sizes);
    recording.add('RunStarted', null, { name: 'half', environment: { name: 'lake' }, descriptor, stages: 5 });
    addStage(recording, 1, { knobs: evenly(sizes), valid: { 3: 10 }, failures: {}, signal: 0.1 });
    addDecision(recording, 1, { knobs: evenly(sizes, { '5.hole': 0.3 }) });
    const { look } = await placeWith(recording);
    expect((await look('show', '--verbose', 'half')).stdout).toMatch(/^ +2 +producer\/run: 5\.hole 0\.1 → 0\.3$/m);
    recording.add('StageStarted', 2, { configuration: configurationOf(evenly(sizes, { '5.hole': 0.3 })) });
    recording.add('TrainingRecorded', 2, {});
    const later = await placeWith(recording);
    expect((await later.look('show', '--verbose', 'half')).stdout).toMatch(/^ +…2 +███$/m);
    expect((await later.look('show', '--verbose', 'half@2')).stdout).toContain(
      'half@2  stage not complete: recorded TrainingRecorded',
    );
  });

  it('prints the error of a failed run until the run records more', async () => {
    const recording = new Recording('broken');
    recording.add('RunStarted', null, { name: 'broken', environment: { name: 'lake' } });
    const data = { reason: 'unavailable', message: 'the endpoint is away', during: 'propose', resumable: true };
    recording.add('RunFailed', 3, data);
    const { look } = await placeWith(recording);
    const { stdout, stderr } = await look('show', '--verbose', 'broken');
    expect(stdout).toContain('broken  failed, 0 stages');
    expect(stdout).toMatch(
      /^broken {2}failed, 0 stages done, .*\n {2}Failed in the step propose \(unavailable\): the endpoint is away$/m,
    );
    expect(stderr).not.toContain('show broken@');
    recording.add('StageStarted', 1, {});
    const { look: lookAgain } = await placeWith(recording);
    const went = await lookAgain('show', '--verbose', 'broken');
    expect(went.stdout).not.toContain('unavailable');
  });

  it('attributes a kept configuration to the rejected answer that caused it, not to another one', async () => {
    const recording = new Recording('asked');
    recording.add('RunStarted', null, { name: 'asked', environment: { name: 'lake' }, stages: 2 });
    addStage(recording, 1, { knobs: evenly(sizes), valid: { 3: 10 }, failures: {}, signal: 0.1 });
    const rejected = (engineer: string): string =>
      recording.add('ProposalRejected', 1, {
        engineer: { name: engineer },
        context: null,
        reason: 'invalid',
        issues: [],
        raw: null,
      });
    const own = rejected('gpt');
    rejected('other');
    const adopted = {
      by: 'kept',
      proposal: null,
      context: null,
      configuration: configurationOf(evenly(sizes)),
      previous: null,
      changes: [],
      kept: null,
      clamps: [],
      rationale: null,
    } as const;
    recording.add('ConfigAdopted', 1, adopted, 'producer/run', [own]);
    const { look } = await placeWith(recording);
    expect((await look('show', '--verbose', 'asked')).stdout).toMatch(
      /^ +2 +configuration kept after the answer of gpt: .*an answer of gpt was rejected as invalid; an answer of other was/m,
    );
  });

  it('hides hidden probes and benchmarks until a run with a human engineer is complete, except with --all', async () => {
    const recording = new Recording('mine');
    recording.add('RunStarted', null, { name: 'mine', environment: { name: 'lake' }, engineer: { name: 'human' } });
    addStage(recording, 1, { knobs: evenly(sizes), valid: { 3: 10 }, failures: {}, signal: 0.1 });
    const { look } = await placeWith(recording);
    for (const argv of [
      ['show', 'mine'],
      ['show', 'mine@1'],
    ]) {
      const [shown, whole, result] = [
        await look(...argv),
        await look(...argv, '--verbose', '--all'),
        await look(...argv, '--json'),
      ];
      expect(shown.stdout).not.toMatch(/wait-50|probe-holdout {2}/);
      expect(shown.stdout).toContain(
        `until this run, on which a person decides, is complete: no engineer sees them. icecore ${argv.join(' ')} --all`,
      );
      expect(whole.stdout).toContain('wait-50');
      expect(whole.stdout).not.toContain('on which a person decides');
      expect(result.stdout).not.toMatch(/wait-50|"probe-holdout"/);
      expect(result.stderr).toContain('on which a person decides');
    }
    recording.add('RunCompleted', null, { stages: 1 });
    const over = await placeWith(recording);
    expect((await over.look('show', '--verbose', 'mine')).stdout).toContain('wait-50');
  });

  it('reports how many rollouts could not be judged', async () => {
    const recording = new Recording('spoilt');
    recording.add('RunStarted', null, { name: 'spoilt', environment: { name: 'sums' } });
    const none = { value: null, reason: 'there is none to count' };
    const results = [
      { family: null, measure: 'valid', value: none, count: 0, of: 0 },
      { family: null, measure: 'fault', value: 1, count: 40, of: 40 },
    ];
    recording.add('EvaluationRecorded', 1, { suite: { name: 'v' }, split: 'validation', rollouts: 40, results });
    const { look } = await placeWith(recording);
    expect((await look('show', '--verbose')).stdout).toContain(
      'stage 1: 40 rollouts of the validation suite could not be judged.',
    );
    expect((await look('show', '--verbose', 'spoilt@1')).stdout).toMatch(/^all +100.0 \[91, 100\]$/m);
  });

  it('prints failures as a share of the failed rollouts if only those were counted', async () => {
    const recording = new Recording('failing');
    recording.add('RunStarted', null, { name: 'failing', environment: { name: 'lake' } });
    const fact = (family: string, about: string, count: number, of: number) => ({
      ...{ evidenceId: `FC${family}.${about}`, family, measure: 'failures', about, value: count / of, count, of },
    });
    const facts = [fact('3', 'hole', 5, 5), fact('5', 'hole', 10, 15), fact('5', 'late', 5, 15)];
    const summary = { module: 'failures', splits: ['probe' as const], rollouts: 900, facts, exemplars: [], text: null };
    recording.add('SummaryRecorded', 1, summary);
    const { look } = await placeWith(recording);
    expect((await look('show', '--verbose')).stdout).toMatch(
      /^stage +failures, % of failed\n +…1 +hole 75.0, late 25.0$/m,
    );
    expect((await look('show', '--verbose', 'failing@1')).stdout).toMatch(
      /^family +failed +% of them\n3 +5 +hole 100.0\n5 +15 +hole 66.7, late 33.3$/m,
    );
  });

  it('prints an imported run with few fields as far as it is known', async () => {
    const recording = new Recording('verl-1');
    recording.add('RunStarted', null, { name: 'gsm8k', environment: { name: 'gsm8k' }, source: { tool: 'verl' } });
    recording.add('StageStarted', 1, {});
    recording.add('TrainingRecorded', 1, {});
    recording.add('EvaluationRecorded', 1, { suite: { name: 'main' }, split: 'test', rollouts: 0, results: [] });
    recording.add('EvaluationRecorded', null, { suite: { name: 'main' }, split: 'test', rollouts: 0, results: [] });
    recording.add('TrainingRecorded', 2, { curve: [{ step: 1, values: { kl: { value: null, reason: 'NaN' } } }] });
    recording.add('StageCompleted', 2, {});
    const { look } = await placeWith(recording);
    const { stdout } = await look('show', '--verbose', 'verl-1');
    expect(stdout).toContain('gsm8k  recorded, 1 stage');
    expect(stdout).toMatch(/^ +2$/m);
    for (const argv of [['show'], ['show', 'gsm8k@1'], ['show', 'gsm8k@2'], ['diff', 'gsm8k@2']]) {
      const name = argv[0] === 'diff' ? 'diff' : argv.length > 1 ? 'show-stage' : 'show';
      const shown = await look(...argv, '--json');
      expect(faultsAgainst(name, json(shown))).toEqual([]);
      expect(await look(...argv)).toMatchObject({ code: 0 });
    }
  });

  it('omits the optimal rate of a run without one', async () => {
    const recording = new Recording('plain');
    recording.add('RunStarted', null, { name: 'plain', environment: { name: 'sums' } });
    const results = [{ family: null, measure: 'valid', value: 0.5, count: 5, of: 10 }];
    recording.add('EvaluationRecorded', 1, { suite: { name: 'v' }, split: 'validation', rollouts: 10, results });
    recording.add('EvaluationRecorded', 1, { suite: { name: 't' }, split: 'test', rollouts: 10, results });
    const { look } = await placeWith(recording);
    const [run, stage] = [await look('show', '--verbose', 'plain'), await look('show', '--verbose', 'plain@1')];
    expect(run.stdout).toContain('valid: % of the validation suite');
    expect(`${run.stdout}${stage.stdout}`).not.toContain('optimal');
  });

  it('prints a run that has only an EvidenceSealed event', async () => {
    const recording = new Recording('bare');
    recording.add('EvidenceSealed', 4, { attempts: [] });
    const { look } = await placeWith(recording);
    expect((await look('show', '--verbose', 'bare')).stdout).toMatch(/^ +…4$/m);
    expect((await look('show', '--verbose', 'bare@4')).stdout).toContain('stage not complete: recorded EvidenceSealed');
  });

  it('prints families of several words, and escapes control characters', async () => {
    const families = ['adding up', 'times\u009b2J\u202e'];
    const recording = new Recording('words');
    const first = evenly(families);
    recording.add('RunStarted', null, {
      name: 'words\u009b31m',
      environment: { name: 'arithmetic' },
      descriptor: descriptorOf(families, 'arithmetic'),
      notes: 'look:\u001b[2J',
    });
    addStage(recording, 1, {
      knobs: first,
      valid: { 'adding up': 50 },
      failures: { 'adding up': { 'wrong\u009b': 3 } },
      signal: 0,
    });
    const knob = `${families[1]}.hole`;
    addProposal(recording, 1, {
      knobs: { ...first, [knob]: 0.4 },
      rationale: 'go\u001b[8m',
      changes: [
        { knob, family: families[1] ?? '', from: 0.1, to: 0.4, cites: ['F1\u009b'], reason: '\u001b]0;owned\u0007' },
      ],
    });
    addStage(recording, 2, { knobs: { ...first, [knob]: 0.4 }, valid: { 'adding up': 60 }, failures: {}, signal: 0 });
    const { look, within } = await placeWith(recording);
    for (const argv of [
      ['show'],
      ['show', 'words@1'],
      ['show', 'words@2'],
      ['diff', 'words@2', '--verbose'],
      ['runs'],
    ].map((words) => words.map((word) => word.replace('words', 'latest')))) {
      for (const ran of [await look(...argv), await within({ terminal: 80 })(...argv), await look(...argv, '--json')]) {
        expect(ran.code).toBe(0);
        expect(steering(ran.stdout)).toEqual([]);
        expect(steering(ran.stderr)).toEqual([]);
      }
    }
    expect((await look('show', '--verbose')).stdout).toContain('adding up times\\x9b2J\\u202e');
  });
});

describe('icecore show of a fork', () => {
  const parentThere = wholeRun();
  const shared = parentThere.sent.findIndex(({ event }) => event.type === 'StageCompleted');

  function fork(stage: number, revision: number): Recording {
    const recording = new Recording('f0rk', Date.UTC(2026, 6, 2));
    const parent = { run: 'k3v9q2m8x1tz', stage, revision, digest: '0'.repeat(64) };
    recording.add('RunStarted', null, { name: 'brave-otter', environment: { name: 'lake' }, parent });
    addDecision(recording, stage, { knobs: evenly(sizes, { '5.hole': 0 }) });
    addStage(recording, stage + 1, {
      knobs: evenly(sizes, { '5.hole': 0 }),
      valid: { 3: 90 },
      failures: {},
      signal: 0.3,
    });
    return recording;
  }

  it('prints the shared stages and its own decision, not the later one of its parent', async () => {
    const { look } = await placeWith(parentThere, fork(1, shared));
    const { stdout } = await look('show', '--verbose', 'brave-otter');
    expect(stdout).toContain('2 stages done, 1 of them shared');
    expect(stdout).toContain('parent       quiet-otter (k3v9q2m8x1tz), shares stage 1');
    expect(stdout).toMatch(/^ +2 +producer\/run: 5\.hole 0\.3 → 0, /m);
    expect(json(await look('show', '--verbose', 'brave-otter', '--json'))['stages']).toMatchObject([
      { stage: 1, isShared: true },
      { stage: 2, isShared: false },
    ]);
    expect((await look('diff', 'brave-otter@2', 'quiet-otter@2')).code).toBe(0);
  });

  it('prints only the shared stages of a fork without stages of its own', async () => {
    const recording = new Recording('f0rk');
    const revision = parentThere.sent.length - 1;
    const parent = { run: 'k3v9q2m8x1tz', stage: 1, revision, digest: '0'.repeat(64) };
    recording.add('RunStarted', null, { name: 'young-otter', environment: { name: 'lake' }, parent });
    const { look } = await placeWith(parentThere, recording);
    const shown = json(await look('show', '--verbose', 'young-otter', '--json'));
    expect(shown).toMatchObject({ state: 'recorded', done: 1, stages: [{ stage: 1, isShared: true }] });
    expect(shown['benchmarks']).toHaveLength(1);
  });

  it('reports that its parent is not in this ledger', async () => {
    const { look } = await placeWith(fork(1, shared));
    const { stdout } = await look('show', '--verbose');
    expect(stdout).toContain('k3v9q2m8x1tz, shares stage 1: its history is not in this ledger');
    expect(stdout).toMatch(/^ +2 +▇?/m);
  });

  it('prints a fork that names itself as parent, without shared history', async () => {
    const recording = new Recording('loop');
    const parent = { run: 'loop', stage: 1, revision: 5, digest: '0'.repeat(64) };
    recording.add('RunStarted', null, { name: 'loop', environment: { name: 'lake' }, parent });
    const { look } = await placeWith(recording);
    expect((await look('show', '--verbose')).stdout).toContain('its history is not in this ledger');
  });
});

describe('icecore show of a stage', () => {
  it('prints knobs, reasons with citations, clamps, predictions with results, training and failures', async () => {
    const { look } = await placeWith(wholeRun());
    const { stdout, stderr } = await look('show', '--verbose', 'latest@2');
    for (const said of [
      /^5 +0\.45 +0\.2$/m,
      /^ +agents 2$/m,
      /5\.hole 0\.3 → 0\.2 \(-2 knob steps\), cites FC5\.hole: Too many falls\./,
      /3\.data 0\.4 → 0\.2 \(-4 knob steps\), no evidence cited$/m,
      /3\.hole kept, cites FC3\.hole: It works\./,
      /5\.hole clamped: 0\.18 was proposed, 0\.2 is used \(step\)/,
      /shown: combined, context [0-9a-f]{12}$/m,
      /scores: citation score 0\.75, usable 1$/m,
      /^5 +valid +50\.0 +10\.0 \[6, 17\] +probe-holdout$/m,
      /^reward +▁▄▂█ +0\.1 → 0\.6$/m,
      /^5 +100 +hole 30\.0, goal-missed 20\.0$/m,
    ])
      expect(stdout).toMatch(said);
    expect(stderr).toContain('icecore diff quiet-otter@1 quiet-otter@2');
    expect(faultsAgainst('show-stage', json(await look('show', '--verbose', 'latest@2', '--json')))).toEqual([]);
  });

  it('fails for an unknown stage or run, and names the existing ones', async () => {
    const { look } = await placeWith(wholeRun());
    expect((await look('show', '--verbose', 'latest@4')).stderr).toContain(
      'run quiet-otter has no stage 4: it has 3 stages, 1 to 3',
    );
    expect(await look('show', '--verbose', 'latest@0')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('names no stage'),
    });
    expect((await look('show', '--verbose', 'quiet-oter')).stderr).toContain('Did you mean quiet-otter?');
  });

  it('finds a run by any prefix of its name, or by a prefix of its id of at least four characters', async () => {
    const { look } = await placeWith(wholeRun('3abcdefghijk', 'quiet-otter'));
    for (const named of ['q', 'quiet', '3abc', '3abcdefghijk'])
      expect(await look('show', named)).toMatchObject({ code: 0, stdout: expect.stringMatching(/^quiet-otter: /) });
    expect((await look('show', '3ab')).stderr).toContain('there is no run "3ab"');
    const { code, stderr } = await look('show', '3');
    expect(code).toBe(1);
    expect(stderr).toContain('Stage 3 of the last run is latest@3.');
  });

  it('prints which run a prefix of a name was taken as, but not for a full name or an id', async () => {
    const { look } = await placeWith(wholeRun());
    const note = /^quiet: taken as quiet-otter$/m;
    expect((await look('show', 'quiet')).stderr).toContain('icecore show quiet-otter@');
    for (const verb of [['show'], ['why'], ['report', '--format', 'md']])
      expect((await look(...verb, 'quiet')).stderr).toMatch(note);
    expect((await look('why', 'quiet@2')).stderr).toMatch(note);
    expect((await look('show', 'quiet', '--quiet')).stderr).toBe('');
    for (const whole of ['quiet-otter', 'k3v9', 'latest'])
      expect((await look('show', whole)).stderr).not.toContain('taken');
  });

  it('rejects an ambiguous prefix of a name', async () => {
    const { look } = await placeWith(wholeRun(), wholeRun('second', 'quiet-owl'));
    expect(await look('show', '--verbose', 'quiet')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('may be 2 runs'),
    });
  });
});
