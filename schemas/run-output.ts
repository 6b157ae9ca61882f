// What `icecore runs`, `show`, `diff` and `annotate` print: runs, stages, and what differs between two of them. A figure that
// nobody recorded is null.
import { z } from 'zod';
import { alert, cites, component, engineer, reason } from './parts.ts';
import { actor, amounts, count, digest, moment, name, runId, stageNumber, stream, uuid } from './primitives.ts';

const family = z.string().nullable().describe('null: of all families');

export const rate = z
  .strictObject({
    value: z.number().nullable(),
    count: count.nullable(),
    of: count.nullable(),
    low: z.number().nullable().describe('the lower end of its 95 % interval'),
    high: z.number().nullable(),
  })
  .describe('a share that was counted');

export const runStates = ['running', 'completed', 'failed', 'stopped', 'recorded'] as const;

const state = z
  .enum(runStates)
  .describe('stopped: nobody has it in hand; recorded: it came from elsewhere, so that nobody ever had it in hand');

const parent = z.strictObject({
  run: runId,
  name: z.string(),
  stage: stageNumber.describe('the last stage whose history is shared'),
  isThere: z.boolean().describe('false: the ledger does not have that history'),
});

const standing = {
  run: runId,
  name: z.string(),
  at: moment.nullable().describe('when it began'),
  environment: z.string().nullable(),
  engineer: z.string().nullable(),
  form: z.string().nullable(),
  done: count.describe('stages that are over'),
  planned: count.nullable(),
  state,
  holder: z.string().nullable().describe('who has it in hand, while it is running'),
  tags: z.array(z.string()),
} as const;

const runRow = z.strictObject({
  ...standing,
  validation: z.strictObject({ stage: stageNumber, valid: rate, optimal: rate }).nullable().describe('the last one'),
});

export const runs = z.strictObject({
  as_of: moment,
  total: count.describe('how many there are'),
  rows: z.array(runRow).describe('the newest first'),
  truncated: z.boolean().describe('true: there are more than `rows` holds'),
  armsLeftOut: count.describe('runs that ablations made, which are not among them: --arms, or --tag'),
});

const change = z.strictObject({
  knob: z.string(),
  family,
  from: z.number().nullable().describe('null where it had no value'),
  to: z.number().nullable().describe('null where it has none any more'),
  steps: z.number().nullable().describe("by how many of the knob's steps; null where its step is not known"),
  cites,
  reason,
});

const prediction = z.strictObject({
  family: z.string(),
  measure: z.string(),
  predicted: z.number(),
  came: rate,
  split: z.string().nullable().describe('what it is held against; null: nothing was recorded'),
});

const scores = z.strictObject({
  citation: z.number().nullable(),
  preservation: z.number().nullable(),
  usable: z.number().nullable(),
  brier: z.number().nullable(),
  rankCorrelation: z.number().nullable(),
});

const decision = z.strictObject({
  stage: stageNumber.describe('the stage that it configures'),
  by: z.enum(['engineer', 'human', 'initial', 'kept', 'errored']).nullable().describe('null: no decision was recorded'),
  who: z.string().nullable().describe('the engineer that was asked, or the person'),
  adopted: uuid.nullable().describe('the ConfigAdopted'),
  changes: z.array(change).describe('the biggest first'),
  kept: z.array(z.strictObject({ knob: z.string(), family, cites, reason })).nullable(),
  clamps: z.array(
    z.strictObject({ knob: z.string(), family, proposed: z.number(), used: z.number(), rule: z.string() }),
  ),
  rationale: reason,
  context: z
    .strictObject({ digest, event: uuid.nullable(), form: z.string().nullable() })
    .nullable()
    .describe('what the engineer was shown'),
  proposal: uuid.nullable().describe('the ProposalRecorded'),
  scores: scores.nullable(),
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
    .describe('what kept engineers from answering'),
});

const failures = z
  .array(z.strictObject({ class: z.string(), count: count.nullable(), share: z.number().nullable() }))
  .describe(
    'the most frequent first, with their shares of what failed; of all tries, where these are what was recorded',
  );

export const overspent = z
  .strictObject({ unit: z.string(), budget: z.number(), spent: z.number() })
  .describe('what training took, by a unit of its budget');

const stageFields = {
  stage: stageNumber,
  isShared: z.boolean().describe('true: it belongs to the history of the run this one is a fork of'),
  isOver: z.boolean(),
  configuration: digest.nullable(),
  shares: z
    .array(z.strictObject({ family: z.string(), share: z.number() }))
    .describe('how training data are divided; empty where no knobs are shares of one whole'),
  valid: rate.describe('of the validation suite'),
  optimal: rate.describe('of the validation suite'),
  unjudged: count.nullable().describe('rollouts of the validation suite that a fault spoilt; null: none is known'),
  signal: z.number().nullable().describe('the share of sample groups whose rewards differed'),
  failures,
  alerts: z.array(alert),
  overspent: z.array(overspent).describe('where what something else trained went beyond the budget of the stage'),
  decision: decision.describe('how its configuration came about'),
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
  .describe('the whole event, as icecore event show shows it');

export const unknownEvents = z
  .array(unknownEvent)
  .describe('events in the streams of the run and of its notes whose type or version is not known here');

const note = z.strictObject({
  event: uuid,
  at: moment,
  actor,
  stage: stageNumber.nullable(),
  says: z.string(),
  knob: z.string().nullable(),
  about: uuid.nullable().describe('the event it is about'),
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
      .describe('what the run starts, from its settings: whole command lines'),
    suites: z.array(z.string()).nullable(),
    budget: amounts.nullable().describe('for a stage, by unit'),
    seed: z.union([z.int(), z.string()]).nullable(),
    rollouts: z
      .enum(['all', 'evaluation', 'sample'])
      .nullable()
      .describe('which rollouts are events, where its settings say so; anything but all: it is not fully recorded'),
    unrecorded: z.string().nullable().describe('what of its rollouts is known not to be recorded, in words'),
    code: z.strictObject({ version: name, commit: z.string().nullable(), modified: z.boolean().nullable() }).nullable(),
    source: z.string().nullable().describe('where it was imported from'),
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
    .describe('how it failed last; null where it did not, or went on since'),
  stages: z.array(stage),
  next: decision.nullable().describe('what was decided for a stage that has not begun'),
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
  checkpoint: z.string().nullable().describe('what it left behind'),
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
        .describe('what was measured while it trained, without what was not a number'),
    })
    .nullable(),
  evaluations: z.array(evaluation),
  failuresByFamily: z.array(
    z.strictObject({ family, class: z.string(), count: count.nullable(), of: count.nullable() }),
  ),
  failuresFrom: z.string().nullable().describe('what failures were counted in: probe rollouts, or a suite'),
  notes: z.array(note),
  opaque: unknownEvents,
  recorded: z.array(z.string()).describe('the types of events there are of it'),
});

const side = z.strictObject({ run: runId, name: z.string(), stage: stageNumber });

const rateDifference = z.strictObject({
  measure: z.string(),
  family,
  from: rate,
  to: rate,
  isChanged: z.boolean(),
  overlap: z.boolean().nullable().describe('whether their intervals overlap; null where one has none'),
});

const numberDifference = { from: z.number().nullable(), to: z.number().nullable(), isChanged: z.boolean() } as const;

export const diff = z.strictObject({
  ledger: z.string().describe('the URL of the ledger'),
  from: side,
  to: side,
  identical: z.boolean(),
  all: z.boolean().describe('true: with what is the same'),
  settings: z.array(
    z.strictObject({
      setting: z.string(),
      from: z.unknown().describe('null where it is not recorded'),
      to: z.unknown().describe('null where it is not recorded'),
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
  evaluation: z.array(rateDifference).describe('of the validation suite, by family'),
  signal: z.array(z.strictObject({ family, ...numberDifference })),
  failures: z
    .array(z.strictObject({ class: z.string(), family, ...numberDifference }))
    .describe('shares of what failed; of all tries, where these are what was recorded'),
});

export const annotate = z.strictObject({
  ledger: z.string().describe('the URL of the ledger'),
  run: runId,
  stage: stageNumber.nullable(),
  event: uuid,
  stream,
  revision: count,
  isNew: z.boolean().describe('false: the same was noted before'),
});

export type Rate = z.infer<typeof rate>;
export type RunState = (typeof runStates)[number];
export type RunRow = z.infer<typeof runRow>;
/** What `icecore runs --json` prints: the runs of the ledger, the newest first. */
export type RunsResult = z.infer<typeof runs>;
export type Decision = z.infer<typeof decision>;
export type Change = z.infer<typeof change>;
export type Prediction = z.infer<typeof prediction>;
export type StageRow = z.infer<typeof stage>;
export type NoteRow = z.infer<typeof note>;
export type UnknownEvent = z.infer<typeof unknownEvent>;
export type Benchmark = z.infer<typeof benchmark>;
export type ParentRow = z.infer<typeof parent>;
/** What `icecore show RUN --json` prints: the settings, stages and decisions of a run. */
export type RunShown = z.infer<typeof show>;
/** What `icecore show RUN@STAGE --json` prints: one stage with its training, evaluations and failures. */
export type StageShown = z.infer<typeof showStage>;
/** What `icecore diff --json` prints: what differs between two stages, of the same run or of two. */
export type DiffResult = z.infer<typeof diff>;
/** What `icecore annotate --json` prints: where the note was recorded. */
export type AnnotateResult = z.infer<typeof annotate>;
