// What `icecore ablate` prints: the state of an ablation, the decision and results of each arm, and what the data support; or,
// with --plan, what it would do. A figure that was not recorded is null.
import { z } from 'zod';
import { armResult, comparison } from './ablation.ts';
import { ablationOptions } from './ablation-options.ts';
import { amounts, count, digest, moment, name, runId, share, stageNumber, wideInteger } from './primitives.ts';

const history = z.strictObject({
  run: runId,
  name: z.string(),
  decisions: z.array(stageNumber).describe('the stages whose configuration is decided again'),
  seed: wideInteger.nullable().describe('its own'),
});

const unit = ablationOptions.shape.units.element.describe('a training seed of a history: the unit of the statistics');

const arm = z.strictObject({
  arm: name,
  engineer: name.describe('its identity'),
  model: name.nullable(),
  form: name.nullable().describe('null: its engineer sees no context'),
  modules: z.array(name).nullable(),
  without: z.array(z.string()).describe('modules or items left out on purpose'),
  baseline: z.boolean(),
  upperBound: z.literal(true).describe('its engineer cheats: it reads what the environment hides').optional(),
  notApplicable: z.array(name).describe('modules of the form that its engineer cannot use'),
  reads: z.array(name).nullable().describe('modules that the engineer can use; null: not recorded'),
});

const figure = z.number().nullable();

const scores = z.strictObject({
  citation: figure,
  preservation: figure,
  valid: figure.describe('1: usable without repair'),
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
    stage: stageNumber.describe('the stage that is configured'),
    came: z.enum(['proposed', 'rejected', 'errored']),
    why: z.string().nullable().describe('the reason for a rejection or an error'),
    context: digest.nullable().describe('of the context its engineer was shown'),
    configuration: digest.nullable().describe('null: the answer was unusable, and the configuration stays'),
    changes: z
      .array(
        z.strictObject({ ...turn.shape, cites: count.describe('number of evidence ids of the context that it cites') }),
      )
      .describe('compared with the configuration in force; the largest first, in steps of their knobs'),
    differs: z
      .array(turn)
      .nullable()
      .describe('from the actual decision (from) to this one (to); null: no arm has the actual decision'),
    kept: count.nullable().describe('number of knobs kept on purpose; null: the engineer did not say'),
    clamps: count,
    scores,
    says: z.string().nullable(),
    answers: count.describe('number of model answers it took'),
    tokens: count.nullable(),
    cost: amounts.describe('by currency; empty: nothing, or unknown if a model answered'),
    armRun: runId.nullable().describe('the run that continues the arm'),
  })
  .describe('what an arm decided');

const training = z.strictObject({
  arm: name,
  unit: z.string(),
  run: runId,
  stage: stageNumber.describe('the trained stage'),
  checkpoint: digest.nullable(),
  seconds: figure,
  spent: amounts,
  sharedWith: name.nullable().describe('the arm with the same decision, whose training counts for this one'),
  reproduces: z.strictObject({ checkpoint: digest, equal: z.boolean() }).nullable(),
});

const value = z
  .strictObject({ arm: name, unit: z.string(), measure: name, value: figure, worst: figure })
  .describe('the result of an arm in a unit; worst: in the worst tenth of its cells');

const likeness = z
  .strictObject({
    arm: name,
    other: name,
    knobs: z.number().describe('knobs that differ, on average'),
    same: z.boolean(),
  })
  .describe('how similar the decisions of two arms are');

const effect = z
  .strictObject({ knob: name, family: name.nullable(), whole: figure, less: figure })
  .describe('a knob with another value');

const sensitivity = z
  .strictObject({
    arm: name.describe('the arm that was shown the whole context'),
    left: z.array(z.strictObject({ arm: name, without: z.string(), changed: z.array(effect), came: z.string() })),
  })
  .describe('what changes in a decision when one item is left out of the context');

const tasks = z
  .strictObject({
    factor: z
      .enum(['engineer', 'context'])
      .nullable()
      .describe('the factor of a main effect; null: a contrast of two arms'),
    arm: name,
    reference: name,
    unit: z.string(),
    suites: z.array(name),
    tasks: count.describe('number of tasks that both tried'),
    better: count.describe('tasks on which the arm did better'),
    worse: count,
    difference: z.number(),
    low: figure,
    high: figure,
    p: figure,
    method: z.string(),
  })
  .describe('a declared contrast within a unit, task by task: it compares these checkpoints, not the ways of deciding');

const published = z
  .strictObject({
    what: z.string(),
    rows: z.array(
      z.strictObject({ label: z.string(), arm: name.nullable(), theirs: z.string(), ours: z.string().nullable() }),
    ),
    columns: z.array(z.string()).describe('what the columns of theirs and ours are'),
    says: z.string(),
  })
  .describe('published figures next to these: from another policy and scale, and no evidence about each other');

const settle = z
  .strictObject({
    factor: z.enum(['engineer', 'context']).nullable().describe('of a main effect; null: of two arms'),
    arm: name,
    reference: name,
    depth: z.enum(['train', 'run']),
    seeds: count.describe('about how many it takes'),
    seconds: z.number().nullable().describe('about how long they take; null: the histories do not say'),
    command: z.string().describe('the command to type'),
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
  factors: z.array(name).describe('the modules that a factorial combines; empty for other ablations'),
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
        factor: z
          .enum(['engineer', 'context'])
          .nullable()
          .describe('the factor of a main effect; null: a contrast of two arms'),
        ...{ arm: name, reference: name, measure: name, better: z.enum(['higher', 'lower']) },
      }),
    )
    .describe('the declared contrasts'),
  level: share,
  margin: z.number().nullable(),
  measures: z
    .array(
      z.strictObject({
        measure: name,
        better: z.enum(['higher', 'lower']),
        is: z.enum(['share', 'number']),
        split: z
          .enum(['validation', 'test'])
          .nullable()
          .describe('the split it is measured on; null: not measured by rollouts'),
        says: z.string(),
      }),
    )
    .describe('most important first'),
  values: z.array(value),
  results: z.array(armResult),
  comparisons: z.array(comparison),
  tasks: z.array(tasks).describe('only where rollouts of both arms are recorded'),
  decisions: z.array(decision),
  trainings: z.array(training),
  likeness: z.array(likeness),
  sensitivity: sensitivity.nullable(),
  published: z.array(published),
  conclusions: z.array(z.string()).describe('as sentences: what the data support and what they do not'),
  unrecorded: z.array(z.string()).describe('what is not recorded of the histories, as sentences'),
  errored: z
    .array(
      z.strictObject({
        arm: name,
        reason: z.string(),
        resumable: z.boolean().describe('true: running the same ablation again retries it'),
      }),
    )
    .describe('arms that an error stopped: none of their results count'),
  spent: amounts,
  cost: amounts.describe('by currency'),
  settle: settle.nullable().optional().describe('null: nothing is inconclusive, or no number of seeds would settle it'),
});

/** The output of `icecore ablate --json`: the decisions and results of every arm, and what the data support. */
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
    units: count.describe('requested seeds'),
    power: share.describe('probability of finding a difference that exists'),
    alpha: share.describe('the significance level of a family of tests together'),
    families: z.array(
      z.strictObject({
        family: z.enum(['declared', 'main-effects', 'others']),
        contrasts: count.describe('number of contrasts that are corrected together'),
        compared: z
          .array(
            z.strictObject({
              kind: z.enum(['arms', 'leave-one-out', 'effect', 'engineer', 'context']),
              arm: name,
              reference: name,
            }),
          )
          .describe('these contrasts; engineer, context: main effects; effect: of modules of a factorial'),
        finds: z
          .number()
          .nullable()
          .describe('the smallest difference these seeds can find, in standard deviations of the pairs; null: none'),
        findsBy: figure.describe('the same in the units of the measure, if the variation of pairs is known'),
        least: count.describe('the minimum number of seeds with which any difference could be significant'),
      }),
    ),
    deviation: z
      .strictObject({ value: z.number(), ablations: z.array(z.string()), contrasts: count })
      .nullable()
      .describe('median variation of pairs in earlier ablations with the same measure; null: there are none'),
    headroom: z
      .strictObject({
        gain: z.number().describe('in the units of the measure'),
        arm: name,
        arms: count.describe('number of arms that were compared'),
        ablation: z.string(),
      })
      .nullable()
      .describe(
        'the largest mean gain of an arm over uniform in an earlier ablation with the same measure; null: none has it',
      ),
    needed: z
      .array(
        z.strictObject({
          effect: z.number().describe('the difference in standard deviations of the pairs'),
          difference: figure.describe('the same in the units of the measure'),
          units: z.array(count.nullable()).describe('seeds needed, by family; null: more than 10,000'),
        }),
      )
      .describe('number of seeds needed to find a difference'),
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
  contrasts: ablate.shape.contrasts.describe('the contrasts that are tested first'),
  declared: z.boolean().describe('whether the user declared these contrasts; false: they are the default'),
  decisions: count.describe('arms times units times stages'),
  done: count.describe('of them'),
  questions: count.describe('questions to models; recorded answers are reused'),
  trainings: count.describe('maximum number: arms with the same decision are trained once'),
  repeats: count.describe('trainings of the history that are repeated first, to check that they reproduce'),
  evaluations: count,
  seconds: z.number().nullable().describe('estimated time; null: nothing to estimate it from'),
  cost: amounts.describe('estimated cost, by currency'),
  seeds: seedsPlan,
  notes: z.array(z.string()),
});

export type SeedsPlan = z.infer<typeof seedsPlan>;
/** The output of `icecore ablate --plan --json`: what the ablation would do, how long it takes and what it costs. */
export type AblationPlan = z.infer<typeof ablationPlan>;
