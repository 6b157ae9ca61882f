// What `icecore runs`, `show`, `diff` and `annotate` print: runs, stages, and the differences between two of them. A figure
// that was not recorded is null.
import { z } from 'zod';
import { alert, cites, component, engineer, reason } from './parts.ts';
import { actor, amounts, count, digest, moment, name, runId, stageNumber, stream, uuid } from './primitives.ts';

const family = z.string().nullable().describe('null: all families');

export const rate = z
  .strictObject({
    value: z.number().nullable(),
    count: count.nullable(),
    of: count.nullable(),
    low: z.number().nullable().describe('the lower end of its 95 % interval'),
    high: z.number().nullable(),
  })
  .describe('a counted rate');

export const runStates = ['running', 'completed', 'failed', 'stopped', 'recorded'] as const;

const state = z.enum(runStates).describe('stopped: no process runs it; recorded: imported, so no process ever ran it');

const parent = z.strictObject({
  run: runId,
  name: z.string(),
  stage: stageNumber.describe('the last stage whose history is shared'),
  isThere: z.boolean().describe('false: the shared history is not in this ledger'),
});

const standing = {
  run: runId,
  name: z.string(),
  at: moment.nullable().describe('when it started'),
  environment: z.string().nullable(),
  engineer: z.string().nullable(),
  form: z.string().nullable(),
  done: count.describe('completed stages'),
  planned: count.nullable(),
  state,
  holder: z.string().nullable().describe('the process that runs it'),
  waiting: z
    .strictObject({ for: z.enum(['training', 'decision']), stage: stageNumber })
    .nullable()
    .describe('what a stopped run waits for: training by another program, or a decision by a person'),
  tags: z.array(z.string()),
} as const;

const runRow = z.strictObject({
  ...standing,
  validation: z
    .strictObject({ stage: stageNumber, valid: rate, optimal: rate })
    .nullable()
    .describe('the last validation'),
});

export const runs = z.strictObject({
  as_of: moment,
  total: count.describe('total number of runs'),
  rows: z.array(runRow).describe('newest first'),
  truncated: z.boolean().describe('true: `rows` is incomplete'),
  armsLeftOut: count.describe('number of runs of ablations, which are left out without --arms or --tag'),
});

const change = z.strictObject({
  knob: z.string(),
  family,
  from: z.number().nullable().describe('null: it had no value'),
  to: z.number().nullable().describe('null: it has no value any more'),
  steps: z.number().nullable().describe('the change in steps of the knob; null: the step is unknown'),
  cites,
  reason,
});

const prediction = z.strictObject({
  family: z.string(),
  measure: z.string(),
  predicted: z.number(),
  came: rate,
  split: z.string().nullable().describe('the split it is compared with; null: nothing was recorded'),
});

const scores = z.strictObject({
  citation: z.number().nullable(),
  preservation: z.number().nullable(),
  usable: z.number().nullable(),
  brier: z.number().nullable(),
  rankCorrelation: z.number().nullable(),
});

export const clamp = z
  .strictObject({ knob: z.string(), family, proposed: z.number(), used: z.number(), rule: z.string() })
  .describe('a proposed value that was moved to an allowed one');

/** What a person changed of the proposal that they adopted. */
export const changedByPerson = {
  edited: z
    .array(z.string())
    .nullable()
    .describe(
      'the knobs of the proposal that a person set otherwise; null: adopted unchanged, or there is no proposal',
    ),
  ownReasons: z
    .array(z.string())
    .nullable()
    .describe('the knobs for which a person gave other reasons than the proposal; null: there is no proposal'),
} as const;

const decision = z.strictObject({
  stage: stageNumber.describe('the configured stage'),
  by: z.enum(['engineer', 'human', 'initial', 'kept', 'errored']).nullable().describe('null: no decision was recorded'),
  who: z.string().nullable().describe('the engineer or the person who decided'),
  adopted: uuid.nullable().describe('the ConfigAdopted'),
  changes: z.array(change).describe('biggest first'),
  kept: z.array(z.strictObject({ knob: z.string(), family, cites, reason })).nullable(),
  clamps: z.array(clamp),
  rationale: reason,
  context: z
    .strictObject({ digest, event: uuid.nullable(), form: z.string().nullable() })
    .nullable()
    .describe('the context the engineer was shown'),
  proposal: uuid.nullable().describe('the ProposalRecorded'),
  proposedBy: z.string().nullable().describe('the engineer of that proposal'),
  ...changedByPerson,
  scores: scores.nullable().describe('of the proposal; null also where a person changed values or reasons of it'),
  predictions: z.array(prediction).nullable(),
  rejections: z.array(
    z.strictObject({
      event: uuid,
      engineer: z.string(),
      reason: z.string(),
      issues: z.array(z.strictObject({ field: z.string(), found: z.string(), allowed: z.string() })),
    }),
  ),
  errors: z
    .array(z.strictObject({ event: uuid, engineer: z.string(), kind: z.string(), message: z.string() }))
    .describe('errors of engineers that could not answer'),
});

const failures = z
  .array(z.strictObject({ class: z.string(), count: count.nullable(), share: z.number().nullable() }))
  .describe('most frequent first, as shares of failed rollouts; as shares of all rollouts if only these were recorded');

export const overspent = z
  .strictObject({ unit: z.string(), budget: z.number(), spent: z.number() })
  .describe('spending in a unit of the training budget');

const stageFields = {
  stage: stageNumber,
  isShared: z.boolean().describe('true: it belongs to the shared history of the parent run'),
  isOver: z.boolean(),
  configuration: digest.nullable(),
  shares: z
    .array(z.strictObject({ family: z.string(), share: z.number() }))
    .describe('the task mixture of training data; empty: no knobs are shares of a whole'),
  valid: rate.describe('on the validation suite'),
  optimal: rate.describe('on the validation suite'),
  unjudged: count
    .nullable()
    .describe('rollouts of the validation suite that were invalidated by a fault; null: none known'),
  signal: z.number().nullable().describe('share of sample groups whose rewards differ'),
  failures,
  alerts: z.array(alert),
  overspent: z.array(overspent).describe('where an external trainer exceeded the budget of the stage'),
  changedPrograms: z
    .array(z.strictObject({ file: z.string(), since: stageNumber }))
    .describe('files of the trainer and environment programs that differ from those of an earlier stage'),
  decision: decision.describe('the decision that configured it'),
} as const;

const stage = z.strictObject(stageFields);

const unknownEvent = z
  .looseObject({
    stream: z.string(),
    revision: count,
    type: z.string(),
    version: z.unknown().describe('a whole number, unless the event is damaged'),
    data: z.unknown(),
    known: z.literal(false),
  })
  .describe('the whole event, as printed by icecore event show');

export const unknownEvents = z
  .array(unknownEvent)
  .describe('events in the streams of the run and its notes whose type or version is unknown here');

const note = z.strictObject({
  event: uuid,
  at: moment,
  actor,
  stage: stageNumber.nullable(),
  says: z.string(),
  knob: z.string().nullable(),
  about: uuid.nullable().describe('the subject, if it is an event'),
  tags: z.array(z.string()),
});

const benchmark = z.strictObject({
  suite: z.string(),
  stage: stageNumber.nullable().describe('null: outside of any stage'),
  valid: rate,
  optimal: rate,
});

const modules = z.strictObject({ name: z.string().nullable(), modules: z.array(z.string()) });

export const show = z.strictObject({
  ledger: z.string().describe('the URL of the ledger'),
  ...standing,
  asked: z.strictObject({
    environment: component.nullable(),
    engineer: engineer.nullable(),
    form: modules.nullable(),
    policy: component.nullable(),
    trainer: component.nullable(),
    programs: z
      .array(z.strictObject({ role: z.enum(['environment', 'trainer', 'engineer']), command: z.array(z.string()) }))
      .describe('the programs that the run starts, as whole command lines'),
    suites: z.array(z.string()).nullable(),
    budget: amounts.nullable().describe('of a stage, by unit'),
    seed: z.union([z.int(), z.string()]).nullable(),
    rollouts: z
      .enum(['all', 'evaluation', 'sample'])
      .nullable()
      .describe(
        'which rollouts are recorded as events, if its settings say so; not all: the run is not fully recorded',
      ),
    unrecorded: z.string().nullable().describe('which of its rollouts are known to be unrecorded, in words'),
    code: z.strictObject({ version: name, commit: z.string().nullable(), modified: z.boolean().nullable() }).nullable(),
    source: z.string().nullable().describe('the source of an import'),
    says: z.string().nullable(),
  }),
  parent: parent.nullable(),
  failure: z
    .strictObject({
      stage: stageNumber.nullable(),
      reason: z.string(),
      message: z.string(),
      during: z.string().nullable(),
      resumable: z.boolean(),
    })
    .nullable()
    .describe('the last failure; null: it never failed, or was resumed since'),
  stages: z.array(stage),
  next: decision.nullable().describe('the decision for a stage that has not started'),
  modelCosts: z
    .strictObject({
      cost: amounts.describe('by currency, as far as it is known'),
      decisions: count.describe('decisions for which models were asked, usable or not'),
      unknown: count.describe('those whose cost is unknown'),
    })
    .describe('the cost of the models that were asked for its decisions'),
  benchmarks: z.array(benchmark),
  notes: z.array(note),
  opaque: unknownEvents,
});

const knob = z.strictObject({ knob: z.string(), family, value: z.number() });

const evaluation = z.strictObject({
  suite: z.string(),
  split: z.string(),
  rollouts: count,
  event: uuid,
  results: z.array(z.strictObject({ family, measure: z.string(), ...rate.shape })),
});

export const showStage = z.strictObject({
  ledger: z.string().describe('the URL of the ledger'),
  run: runId,
  name: z.string(),
  ...stageFields,
  knobs: z.array(knob),
  seed: z.union([z.int(), z.string()]).nullable(),
  checkpoint: z.string().nullable().describe('the checkpoint after the stage'),
  training: z
    .strictObject({
      event: uuid,
      spent: amounts.nullable(),
      signal: z.array(
        z.strictObject({
          family,
          share: z.number().nullable(),
          entropy: z.number().nullable(),
          kl: z.number().nullable(),
        }),
      ),
      curve: z
        .array(z.strictObject({ measure: z.string(), values: z.array(z.number()) }))
        .describe('the measurements during training, without those that are not numbers'),
    })
    .nullable(),
  evaluations: z.array(evaluation),
  failuresByFamily: z.array(
    z.strictObject({ family, class: z.string(), count: count.nullable(), of: count.nullable() }),
  ),
  failuresFrom: z.string().nullable().describe('where failures were counted: probe rollouts, or a suite'),
  notes: z.array(note),
  opaque: unknownEvents,
  recorded: z.array(z.string()).describe('the types of its recorded events'),
});

const side = z.strictObject({ run: runId, name: z.string(), stage: stageNumber });

const rateDifference = z.strictObject({
  measure: z.string(),
  family,
  from: rate,
  to: rate,
  isChanged: z.boolean(),
  overlap: z.boolean().nullable().describe('whether their intervals overlap; null: one has none'),
});

const numberDifference = { from: z.number().nullable(), to: z.number().nullable(), isChanged: z.boolean() } as const;

export const diff = z.strictObject({
  ledger: z.string().describe('the URL of the ledger'),
  from: side,
  to: side,
  identical: z.boolean(),
  all: z.boolean().describe('true: values without differences are included'),
  settings: z.array(
    z.strictObject({
      setting: z.string(),
      from: z.unknown().describe('null: not recorded'),
      to: z.unknown().describe('null: not recorded'),
      isChanged: z.boolean(),
    }),
  ),
  knobs: z.array(
    z.strictObject({
      knob: z.string(),
      family,
      ...numberDifference,
      steps: z.number().nullable(),
      cites,
      reason,
    }),
  ),
  evaluation: z.array(rateDifference).describe('on the validation suite, by family'),
  signal: z.array(z.strictObject({ family, ...numberDifference })),
  failures: z
    .array(z.strictObject({ class: z.string(), family, ...numberDifference }))
    .describe('shares of failed rollouts; of all rollouts if only these were recorded'),
  failuresFrom: z.string().nullable().describe('where failures were counted: probe rollouts, or a suite'),
});

export const annotate = z.strictObject({
  ledger: z.string().describe('the URL of the ledger'),
  run: runId,
  stage: stageNumber.nullable(),
  event: uuid,
  stream,
  revision: count,
  isNew: z.boolean().describe('false: the same note already existed'),
});

export type Rate = z.infer<typeof rate>;
export type RunState = (typeof runStates)[number];
export type RunRow = z.infer<typeof runRow>;
/** The output of `icecore runs --json`: the runs of the ledger, newest first. */
export type RunsResult = z.infer<typeof runs>;
export type Decision = z.infer<typeof decision>;
export type Change = z.infer<typeof change>;
export type Prediction = z.infer<typeof prediction>;
export type StageRow = z.infer<typeof stage>;
export type NoteRow = z.infer<typeof note>;
export type UnknownEvent = z.infer<typeof unknownEvent>;
export type Benchmark = z.infer<typeof benchmark>;
export type ParentRow = z.infer<typeof parent>;
/** The output of `icecore show RUN --json`: the settings, stages and decisions of a run. */
export type RunShown = z.infer<typeof show>;
/** The output of `icecore show RUN@STAGE --json`: one stage with its training, evaluations and failures. */
export type StageShown = z.infer<typeof showStage>;
/** The output of `icecore diff --json`: the differences between two stages, of the same run or of two. */
export type DiffResult = z.infer<typeof diff>;
/** The output of `icecore annotate --json`: the recorded note. */
export type AnnotateResult = z.infer<typeof annotate>;
