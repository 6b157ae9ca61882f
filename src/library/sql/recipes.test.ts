import { beforeAll, describe, expect, it } from 'vitest';
import type { EventData } from '../../../schemas/catalogue.ts';
import { streamOf } from '../../../schemas/streams.ts';
import { type Ask, descriptor, evaluation, History, tablesOf } from '../../projections/testing/history.ts';
import { recipeSql, recipes } from './recipes.ts';

const digest = 'd'.repeat(64);
const rollout = 'a0000000-0000-8000-8000-000000000000';
const maze = { environment: { name: 'maze' }, descriptor: descriptor(['small']) };

let ask: Ask;

beforeAll(async () => {
  ask = await tablesOf([arm(), whole(), fork()]);
});

/** Two stages, of which the first solves a task that later ones do not. */
function whole(): History {
  const run = new History('whole0000000');
  run.add('RunStarted', null, { name: 'whole', ...maze });
  run.add('StageStarted', 1, {});
  play(run, 1, { easy: true, hard: false });
  run.add('EvaluationRecorded', 1, evaluation('validation', 'validation', { small: 20 }));
  run.add('SummaryRecorded', 2, {
    module: 'failures',
    facts: [],
    exemplars: [{ evidenceId: 'F1', rollout, family: 'small', class: 'slip', description: 'step 1: slip' }],
    text: null,
  });
  run.add('StageCompleted', 1, {});
  run.add('ContextRecorded', 2, context());
  run.add('ContextRecorded', 2, { ...context(), budget: 100 });
  run.add('StageStarted', 2, {});
  play(run, 2, { easy: false, hard: false });
  run.add('EvaluationRecorded', 2, evaluation('validation', 'validation', { small: 30 }));
  return run;
}

/** Shares the first stage, with the summary of it. */
function fork(): History {
  const run = new History('fork00000000');
  const parent = { run: 'whole0000000', stage: 1, revision: 4, digest };
  run.add('RunStarted', null, { name: 'fork', ...maze, parent });
  run.add('ContextRecorded', 2, context());
  run.add('StageStarted', 2, {});
  play(run, 2, { easy: false, hard: false });
  run.add('EvaluationRecorded', 2, evaluation('validation', 'validation', { small: 30 }));
  return run;
}

/** An arm that was trained on the history of the first run, to another result. */
function arm(): History {
  const run = new History('whole0000000', Date.UTC(2026, 7, 1));
  const evaluated = { arm: 'rules/stats', unit: 'seed 1', ...evaluation('validation', 'validation', { small: 90 }) };
  run.add('ArmEvaluated', 2, evaluated, { stream: streamOf.ablation('a1') });
  return run;
}

function play(run: History, stage: number, tasks: Readonly<Record<string, boolean>>): void {
  const stream = streamOf.evidence(run.run, stage, 0, 0);
  const tried = {
    environment: 'maze',
    split: 'probe',
    policy: 'p',
    outcome: 'done',
    family: 'small',
    failureClass: 'slip',
  } as const;
  for (const [id, success] of Object.entries(tasks))
    run.add('RolloutRecorded', stage, { ...tried, task: { id }, success }, { stream });
}

function context(): EventData['ContextRecorded'] {
  return {
    contextForm: { modules: ['failures'] },
    digest,
    text: { text: '' },
    history: [],
    evidenceIds: { F1: { module: 'failures', events: [rollout], family: 'small' } },
    tokenizer: 'words',
    tokens: 1,
    budget: 0,
    truncated: [],
  };
}

async function answerOf(name: string, run: string) {
  const recipe = recipes.find((one) => one.name === name);
  return recipe === undefined ? null : await ask(recipeSql(recipe, run, null));
}

describe('recipes about one run', () => {
  it('do not take the results of arms for those of the run', async () => {
    expect(await answerOf('benchmarks', 'whole')).toEqual([
      { stage: 1, validation: 0.2 },
      { stage: 2, validation: 0.3 },
    ]);
  });

  it('know the tasks that were solved in the stages a fork shares', async () => {
    const unsolved = [{ position: 1, family: 'small', tasks: 1, never_solved: 'hard' }];
    expect(await answerOf('never-solved', 'whole')).toEqual(unsolved);
    expect(await answerOf('never-solved', 'fork')).toEqual(unsolved);
  });

  it.each(['failures-by-stage', 'probe-vs-validation', 'benchmarks', 'waits', 'plan-quality'])(
    'answer %s with the stages that a fork shares',
    async (name) => {
      const [own, of] = [await answerOf(name, 'whole'), await answerOf(name, 'fork')];
      expect(of).toEqual(own);
      expect(of).not.toEqual([]);
    },
  );

  it('show once what an engineer was shown, in a fork as well', async () => {
    const example = {
      evidence_id: 'F1',
      family: 'small',
      failure_class: 'slip',
      description: 'step 1: slip',
      rollout,
    };
    expect(await answerOf('shown-rollouts', 'whole')).toEqual([example]);
    expect(await answerOf('shown-rollouts', 'fork')).toEqual([example]);
  });
});
