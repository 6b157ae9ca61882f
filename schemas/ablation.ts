// Ablations: the same history replayed with other contexts and engineers. Events record the arms, their proposals, the
// training that followed, and what the data support.
import { z } from 'zod';
import { duplicateNames } from './duplicate-names.ts';
import type { Issue } from './errors.ts';
import { eventType } from './family.ts';
import { codeVersion, component, cost, engineer, form, suite } from './parts.ts';
import {
  amounts,
  count,
  details,
  digest,
  evidenceId,
  measured,
  name,
  runId,
  score,
  share,
  stageNumber,
  wideInteger,
} from './primitives.ts';
import { changedOnce, errorFields, proposalFields, rejectionFields } from './proposal.ts';
import { evaluationFields, trainingFields } from './training.ts';

const history = z
  .strictObject({
    run: runId,
    decisions: z.array(stageNumber).min(1).describe('the stages whose configuration is decided again'),
    revision: count.describe('the last event of the run stream that is replayed'),
    digest: digest.describe('of that event, and through its chain of all events before it'),
  })
  .describe('a run that is replayed');

const arm = z
  .strictObject({
    arm: name.describe('its name: rules/stats'),
    engineer,
    contextForm: form.nullable().describe('null: its engineer sees no context'),
    without: z.array(evidenceId).describe('modules or items left out on purpose').optional(),
    baseline: z.boolean().describe('whether it is a baseline'),
    notApplicable: z.array(name).describe('modules of the form that its engineer cannot use').optional(),
  })
  .describe('one engineer with one context form');

const contrast = {
  arm: name,
  reference: name.describe('the arm it is compared with'),
  measure: name,
} as const;

const better = z.enum(['higher', 'lower']);

const factor = z
  .enum(['engineer', 'context'])
  .describe('the factor of a main effect: `arm` and `reference` are then two engineers or two contexts of the matrix');

export const ablationStarted = eventType({
  type: 'AblationStarted',
  code: 160,
  in: ['ablation'],
  stage: 'never',
  summary: 'An ablation started: its histories, its arms, and its primary contrast.',
  data: z.strictObject({
    name: name.optional(),
    histories: z.array(history).min(1),
    depth: z.enum(['propose', 'train', 'run']),
    arms: z.array(arm).min(1),
    seeds: z.array(wideInteger).describe('the training seeds, each a unit of analysis'),
    primary: z
      .strictObject({ ...contrast, better })
      .nullable()
      .describe('the first declared contrast of two arms; undeclared contrasts are corrected for their number'),
    contrasts: z
      .array(z.strictObject({ ...contrast, better, factor: factor.optional() }))
      .min(1)
      .describe('all declared contrasts, if they are not just the primary one; corrected together')
      .optional(),
    level: share.describe('the confidence of the intervals'),
    margin: z.number().nonnegative().describe('smaller differences count as equivalent').optional(),
    preset: name.describe('paper, leave-one-out, factorial').optional(),
    suites: z.array(suite).optional(),
    environment: component.optional(),
    policy: component.optional(),
    trainer: component.optional(),
    budget: amounts.describe('of one training, by unit').optional(),
    spendingCap: cost.describe('maximum cost of model calls').optional(),
    options: details.describe('every option as resolved').optional(),
    tags: z.array(name).optional(),
    notes: z.string().describe('the purpose of the ablation').optional(),
    code: codeVersion.optional(),
    measured: measured.optional(),
  }),
  crossCheck: ({ arms, primary, contrasts = [] }) => [
    ...duplicateArms(arms),
    ...(primary === null ? [] : unknownArms(arms, primary, 'primary')),
    ...contrasts.flatMap((one, i) => (one.factor === undefined ? unknownArms(arms, one, `contrasts[${i}]`) : [])),
  ],
});

const armFields = {
  arm: name,
  unit: name
    .describe('the unit of analysis: the training seed, with its run if there are several; arms are paired within it')
    .optional(),
  armRun: runId.describe('the run that continues the arm, at depth run').optional(),
} as const;

export const armProposed = eventType({
  type: 'ArmProposed',
  code: 161,
  in: ['ablation'],
  stage: 'always',
  summary: 'An arm proposed a configuration.',
  data: z.strictObject({ ...armFields, ...proposalFields }),
  crossCheck: (data) => changedOnce(data),
});

export const armRejected = eventType({
  type: 'ArmRejected',
  code: 162,
  in: ['ablation'],
  stage: 'always',
  summary: 'The answer of an arm was not usable as a proposal.',
  data: z.strictObject({ ...armFields, ...rejectionFields }),
});

export const armErrored = eventType({
  type: 'ArmErrored',
  code: 166,
  in: ['ablation'],
  stage: 'always',
  summary:
    'An error stopped an arm while it decided, trained or was evaluated. The error counts until a retry succeeds.',
  data: z.strictObject({
    ...armFields,
    ...errorFields,
    during: z.enum(['propose', 'train', 'evaluate', 'run']).describe('the step that failed'),
    resumable: z
      .boolean()
      .describe(
        'whether running the same ablation again retries it; false if the error follows from the history or the form',
      ),
  }),
});

export const armTrained = eventType({
  type: 'ArmTrained',
  code: 163,
  in: ['ablation'],
  stage: 'always',
  summary: 'An arm was trained on its proposal.',
  data: z.strictObject({
    ...armFields,
    ...trainingFields,
    reproduces: z
      .strictObject({ checkpoint: digest, equal: z.boolean() })
      .describe('the recorded checkpoint that repeated training had to reproduce, and whether it did')
      .optional(),
  }),
});

export const armEvaluated = eventType({
  type: 'ArmEvaluated',
  code: 164,
  in: ['ablation'],
  stage: 'always',
  summary: 'The checkpoint of an arm was evaluated on a suite.',
  data: z.strictObject({ ...armFields, ...evaluationFields }),
});

export const armResult = z
  .strictObject({
    arm: name,
    measure: name,
    statistic: name.describe('mean, median, p10'),
    value: score,
    low: z.number().optional(),
    high: z.number().optional(),
    units: count.describe('number of units'),
  })
  .describe('the result of an arm over units');

export const comparison = z
  .strictObject({
    ...contrast,
    factor: factor.optional(),
    declared: z.boolean().describe('whether the contrast was declared'),
    units: count.describe('number of pairs'),
    difference: score,
    low: z.number().optional(),
    high: z.number().optional(),
    effect: score.describe('the difference in standard deviations').optional(),
    p: score.optional(),
    adjusted: score.describe('p, corrected for the number of contrasts').optional(),
    verdict: z
      .enum(['significant', 'equivalent', 'inconclusive', 'not-applicable'])
      .describe('equivalent: by a test with the stated margin; not-applicable: zero by construction'),
    method: name.optional(),
    unitsNeeded: count.describe('number of units that would make the difference significant').optional(),
  })
  .describe('two arms compared, paired by unit');

export const ablationCompleted = eventType({
  type: 'AblationCompleted',
  code: 165,
  in: ['ablation'],
  stage: 'never',
  summary: 'An ablation completed: the result of each arm, and what the data support.',
  data: z.strictObject({
    results: z.array(armResult),
    contrasts: z.array(comparison),
    unfinished: z.array(z.strictObject({ arm: name, reason: z.string() })).describe('arms without a result'),
    conclusions: z.array(z.string()).describe('as sentences: what the data support and what they do not'),
    version: name.describe('of the wording of the conclusions; without: of the first').optional(),
    spent: amounts.optional(),
    cost: cost.optional(),
    measured: measured.optional(),
  }),
});

function duplicateArms(arms: readonly { arm: string }[]): Issue[] {
  return duplicateNames(
    arms.map(({ arm }, i) => ({ name: arm, field: `data.arms[${i}].arm` })),
    'each arm once',
  );
}

function unknownArms(
  arms: readonly { arm: string }[],
  declared: { arm: string; reference: string },
  field: string,
): Issue[] {
  const known = arms.map(({ arm }) => arm);
  return (['arm', 'reference'] as const)
    .filter((side) => !known.includes(declared[side]))
    .map((side) => ({
      field: `data.${field}.${side}`,
      found: `"${declared[side]}"`,
      allowed: `one of ${known.join(', ')}`,
    }));
}
