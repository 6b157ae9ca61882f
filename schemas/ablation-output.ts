// What `icecore ablate` prints: an ablation as far as it is, what each arm decided and came to, and what the data support; or,
// with --plan, what it would do. A figure that nobody recorded is null.
import { z } from 'zod';
import { armResult, comparison } from './ablation.ts';
import { ablationOptions } from './ablation-options.ts';
import { amounts, count, digest, moment, name, runId, share, stageNumber, wideInteger } from './primitives.ts';

const history = z.strictObject({
  run: runId,
  name: z.string(),
  stages: z.array(stageNumber).describe('the stages after which is decided anew'),
  seed: wideInteger.nullable().describe('its own'),
});

const unit = ablationOptions.shape.units.element.describe('a training seed of a history: what the statistics count');

const arm = z.strictObject({
  arm: name,
  engineer: name.describe('its identity'),
  model: name.nullable(),
  form: name.nullable().describe('null: its engineer is shown nothing'),
  modules: z.array(name).nullable(),
  without: z.array(z.string()).describe('modules or items left out on purpose'),
  baseline: z.boolean(),
  notApplicable: z.array(name).describe('modules of the form that its engineer cannot use'),
  reads: z.array(name).nullable().describe('modules that its engineer can use; null: not recorded'),
});

const figure = z.number().nullable();

const scores = z.strictObject({
  citation: figure,
  preservation: figure,
  valid: figure.describe('1: could be used as it came'),
  brier: figure.describe('of its predictions; lower is better'),
  rankCorrelation: figure,
});

const turn = z.strictObject({
  knob: name,
  family: name.nullable(),
  from: z.number().nullable(),
  to: z.number().nullable(),
});

const decision = z
  .strictObject({
    arm: name,
    unit: z.string(),
    run: runId,
    stage: stageNumber.describe('the stage it was decided after'),
    came: z.enum(['proposed', 'rejected', 'errored']),
    why: z.string().nullable().describe('of a rejection or an error'),
    context: digest.nullable().describe('of what its engineer was shown'),
    configuration: digest.nullable().describe('null where nothing could be used: the configuration in force stays'),
    changes: z
      .array(z.strictObject({ ...turn.shape, cites: count.describe('how many evidence ids of the context it names') }))
      .describe('against the configuration in force'),
    differs: z.array(turn).nullable().describe('from what was really decided (from) to this (to); null: nothing was'),
    kept: count.nullable().describe('knobs kept on purpose; null where nothing was said of that'),
    clamps: count,
    scores,
    says: z.string().nullable(),
    tokens: count.nullable(),
    cost: amounts.describe('by currency'),
    armRun: runId.nullable().describe('the run the arm went on as'),
  })
  .describe('what an arm decided');

const training = z.strictObject({
  arm: name,
  unit: z.string(),
  run: runId,
  stage: stageNumber.describe('the stage that was trained'),
  checkpoint: digest.nullable(),
  seconds: figure,
  spent: amounts,
  sharedWith: name.nullable().describe('the arm that decided the same, whose training counts for this one'),
  reproduces: z.strictObject({ checkpoint: digest, equal: z.boolean() }).nullable(),
});

const value = z
  .strictObject({ arm: name, unit: z.string(), measure: name, value: figure, worst: figure })
  .describe('what an arm came to in a unit; worst: in the worst tenth of its cells');

const likeness = z
  .strictObject({
    arm: name,
    other: name,
    knobs: z.number().describe('knobs that differ, on average'),
    same: z.boolean(),
  })
  .describe('how much alike two arms decided');

const effect = z
  .strictObject({ knob: name, family: name.nullable(), whole: figure, less: figure })
  .describe('a knob that came out otherwise');

const sensitivity = z
  .strictObject({
    arm: name.describe('the arm that was shown all of it'),
    left: z.array(z.strictObject({ arm: name, without: z.string(), changed: z.array(effect), came: z.string() })),
  })
  .describe('what changes in a decision when one thing is not shown');

const tasks = z
  .strictObject({
    factor: z.enum(['engineer', 'context']).nullable().describe('of a main effect; null: of two arms'),
    arm: name,
    reference: name,
    unit: z.string(),
    suites: z.array(name),
    tasks: count.describe('that both tried'),
    better: count.describe('on which the arm did better'),
    worse: count,
    difference: z.number(),
    low: figure,
    high: figure,
    p: figure,
    method: z.string(),
  })
  .describe(
    'a declared contrast within a unit, task by task: of these checkpoints, and not of how they were decided upon',
  );

const published = z
  .strictObject({
    what: z.string(),
    rows: z.array(
      z.strictObject({ label: z.string(), arm: name.nullable(), theirs: z.string(), ours: z.string().nullable() }),
    ),
    columns: z.array(z.string()).describe('what theirs and ours are'),
    says: z.string(),
  })
  .describe('figures of the research beside these: of another policy and scale, and no evidence about each other');

const settle = z
  .strictObject({
    factor: z.enum(['engineer', 'context']).nullable().describe('of a main effect; null: of two arms'),
    arm: name,
    reference: name,
    depth: z.enum(['train', 'run']),
    seeds: count.describe('about how many it takes'),
    seconds: z.number().nullable().describe('about how long they take; null: the histories do not say'),
    command: z.string().describe('to type as it stands'),
  })
  .describe('the command that would settle an inconclusive contrast');

export const ablate = z.strictObject({
  ledger: z.string().describe('the URL of the ledger'),
  ablation: runId,
  name: z.string(),
  state: z.enum(['completed', 'under-way']),
  at: moment.nullable(),
  depth: z.enum(['propose', 'train', 'run']),
  preset: name.nullable(),
  says: z.string().nullable(),
  histories: z.array(history),
  units: z.array(unit),
  arms: z.array(arm),
  primary: z
    .strictObject({ arm: name, reference: name, measure: name, better: z.enum(['higher', 'lower']) })
    .nullable()
    .describe('the first declared contrast of two arms'),
  contrasts: z
    .array(
      z.strictObject({
        factor: z.enum(['engineer', 'context']).nullable().describe('of a main effect; null: of two arms'),
        ...{ arm: name, reference: name, measure: name, better: z.enum(['higher', 'lower']) },
      }),
    )
    .describe('those that were declared'),
  level: share,
  margin: z.number().nullable(),
  measures: z
    .array(
      z.strictObject({
        measure: name,
        better: z.enum(['higher', 'lower']),
        is: z.enum(['share', 'number']),
        split: z.enum(['validation', 'test']).nullable().describe('where it is measured; null: not by rollouts'),
        says: z.string(),
      }),
    )
    .describe('in the order in which they matter'),
  values: z.array(value),
  results: z.array(armResult),
  comparisons: z.array(comparison),
  tasks: z.array(tasks).describe('where rollouts of both arms are recorded'),
  decisions: z.array(decision),
  trainings: z.array(training),
  likeness: z.array(likeness),
  sensitivity: sensitivity.nullable(),
  published: z.array(published),
  conclusions: z.array(z.string()).describe('in words: what the data support and what they do not'),
  errored: z
    .array(
      z.strictObject({
        arm: name,
        reason: z.string(),
        resumable: z.boolean().describe('true: the same ablation, repeated, tries it again'),
      }),
    )
    .describe('arms that an error kept from their end: nothing of them counts'),
  spent: amounts,
  cost: amounts.describe('by currency'),
  settle: settle.nullable().optional().describe('null: nothing is inconclusive, or no number of seeds would settle it'),
});

/** What `icecore ablate --json` prints: the decisions and results of every arm, and what the data support. */
export type Ablated = z.infer<typeof ablate>;
export type AblatedArm = z.infer<typeof arm>;
export type AblatedDecision = z.infer<typeof decision>;
export type AblatedValue = z.infer<typeof value>;
export type Likeness = z.infer<typeof likeness>;
export type Sensitivity = z.infer<typeof sensitivity>;
export type ArmTasks = z.infer<typeof tasks>;
export type Published = z.infer<typeof published>;

export type Settle = z.infer<typeof settle>;

const seedsPlan = z
  .strictObject({
    units: count.describe('seeds that were asked for'),
    power: share.describe('how often a difference that exists is to be found'),
    alpha: share.describe('what the tests of a family leave to chance together'),
    families: z.array(
      z.strictObject({
        family: z.enum(['declared', 'main-effects', 'others']),
        contrasts: count.describe('how many are corrected for each other'),
        finds: z
          .number()
          .nullable()
          .describe('the smallest difference these seeds find, in standard deviations of the pairs; null: none'),
        findsBy: figure.describe('the same in the units of the measure, where pairs were seen to vary'),
        least: count.describe('the fewest seeds with which any difference could be significant'),
      }),
    ),
    deviation: z
      .strictObject({ value: z.number(), ablations: z.array(z.string()), contrasts: count })
      .nullable()
      .describe('how much pairs varied in earlier ablations by the same measure (median); null: there is none'),
    needed: z
      .array(
        z.strictObject({
          effect: z.number().describe('a difference, in standard deviations of the pairs'),
          difference: figure.describe('the same in the units of the measure'),
          units: z.array(count.nullable()).describe('seeds it takes, by family; null: more than 10,000'),
        }),
      )
      .describe('how many seeds it takes to find a difference'),
  })
  .describe('what these seeds can find, before anything is trained');

export const ablationPlan = z.strictObject({
  ledger: z.string(),
  ablation: runId,
  state: z.enum(['new', 'under-way', 'completed']),
  depth: z.enum(['propose', 'train', 'run']),
  histories: z.array(history),
  units: z.array(unit),
  arms: z.array(arm),
  primary: ablate.shape.primary,
  contrasts: ablate.shape.contrasts,
  decisions: count.describe('arms times units times stages'),
  done: count.describe('of them'),
  questions: count.describe('to models; what was asked before is answered from the record'),
  trainings: count.describe('at most: arms that decide the same are trained once'),
  repeats: count.describe('trainings of the history that are repeated first, to see that the same comes'),
  evaluations: count,
  seconds: z.number().nullable().describe('about how long it takes; null: nothing to reckon from'),
  cost: amounts.describe('about what it costs, by currency'),
  seeds: seedsPlan,
  notes: z.array(z.string()),
});

export type SeedsPlan = z.infer<typeof seedsPlan>;
/** What `icecore ablate --plan --json` prints: what the ablation would do, how long it takes and what it costs. */
export type AblationPlan = z.infer<typeof ablationPlan>;
