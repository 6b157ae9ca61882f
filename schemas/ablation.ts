// The same history replayed with other contexts and other engineers: which arms, what each proposed, what training on it
// gave, and what the data support.
import { z } from 'zod';
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
import { namedTwice } from './sense.ts';
import { evaluationFields, trainingFields } from './training.ts';

const history = z
  .strictObject({
    run: runId,
    decisions: z.array(stageNumber).min(1).describe('the stages whose configuration is decided again'),
    revision: count.describe('the last event of the run stream that is replayed'),
    digest: digest.describe('of that event: it vouches for all before it'),
  })
  .describe('a run that is replayed');

const arm = z
  .strictObject({
    arm: name.describe('what it is called: rules/stats'),
    engineer,
    contextForm: form.nullable().describe('null: its engineer is blind to context'),
    without: z.array(evidenceId).describe('modules or items left out on purpose').optional(),
    baseline: z.boolean().describe('whether it is there to be compared with'),
    notApplicable: z.array(name).describe('modules of the form that its engineer cannot use').optional(),
  })
  .describe('one way to decide');

const contrast = {
  arm: name,
  reference: name.describe('the arm it is compared with'),
  measure: name,
} as const;

const better = z.enum(['higher', 'lower']);

const factor = z
  .enum(['engineer', 'context'])
  .describe('of a main effect: `arm` and `reference` are then two engineers, or two contexts, of the matrix');

export const ablationStarted = eventType({
  type: 'AblationStarted',
  code: 160,
  in: ['ablation'],
  stage: 'never',
  summary: 'An ablation began: its histories, its arms, and the one contrast it is made for.',
  data: z.strictObject({
    name: name.optional(),
    histories: z.array(history).min(1),
    depth: z.enum(['propose', 'train', 'run']),
    arms: z.array(arm).min(1),
    seeds: z.array(wideInteger).describe('the training seeds, each a unit of analysis'),
    primary: z
      .strictObject({ ...contrast, better })
      .nullable()
      .describe('the first declared contrast of two arms; what is not declared is corrected for being many'),
    contrasts: z
      .array(z.strictObject({ ...contrast, better, factor: factor.optional() }))
      .min(1)
      .describe('all declared contrasts, where these are more or others than the primary one: corrected for each other')
      .optional(),
    level: share.describe('the confidence of the intervals'),
    margin: z.number().nonnegative().describe('differences below it count as none').optional(),
    preset: name.describe('paper, leave-one-out, factorial').optional(),
    suites: z.array(suite).optional(),
    environment: component.optional(),
    policy: component.optional(),
    trainer: component.optional(),
    budget: amounts.describe('of one training, by unit').optional(),
    spendingCap: cost.describe('what it may cost at most').optional(),
    options: details.describe('every option as it was resolved').optional(),
    tags: z.array(name).optional(),
    notes: z.string().describe('what it is for').optional(),
    code: codeVersion.optional(),
    measured: measured.optional(),
  }),
  sense: ({ arms, primary, contrasts = [] }) => [
    ...armsNamedTwice(arms),
    ...(primary === null ? [] : unknownArms(arms, primary, 'primary')),
    ...contrasts.flatMap((one, i) => (one.factor === undefined ? unknownArms(arms, one, `contrasts[${i}]`) : [])),
  ],
});

const armFields = {
  arm: name,
  unit: name
    .describe(
      'the unit of analysis: the training seed, with its run where there are several; arms are paired within it',
    )
    .optional(),
  armRun: runId.describe('the run the arm goes on as, at depth run').optional(),
} as const;

export const armProposed = eventType({
  type: 'ArmProposed',
  code: 161,
  in: ['ablation'],
  stage: 'always',
  summary: 'An arm proposed a configuration.',
  data: z.strictObject({ ...armFields, ...proposalFields }),
  sense: (data) => changedOnce(data),
});

export const armRejected = eventType({
  type: 'ArmRejected',
  code: 162,
  in: ['ablation'],
  stage: 'always',
  summary: 'What an arm answered could not be used as a proposal.',
  data: z.strictObject({ ...armFields, ...rejectionFields }),
});

export const armErrored = eventType({
  type: 'ArmErrored',
  code: 166,
  in: ['ablation'],
  stage: 'always',
  summary: 'An error kept an arm from deciding, or from what was to come of it. It counts until the same is done.',
  data: z.strictObject({
    ...armFields,
    ...errorFields,
    during: z.enum(['propose', 'train', 'evaluate', 'run']).describe('what the arm was doing'),
    resumable: z
      .boolean()
      .describe('whether the same ablation tries again; not where the error follows from the history or the form'),
  }),
});

export const armTrained = eventType({
  type: 'ArmTrained',
  code: 163,
  in: ['ablation'],
  stage: 'always',
  summary: 'An arm trained on what it proposed.',
  data: z.strictObject({
    ...armFields,
    ...trainingFields,
    reproduces: z
      .strictObject({ checkpoint: digest, equal: z.boolean() })
      .describe('the recorded checkpoint that training again had to give, and whether it did')
      .optional(),
  }),
});

export const armEvaluated = eventType({
  type: 'ArmEvaluated',
  code: 164,
  in: ['ablation'],
  stage: 'always',
  summary: 'What an arm trained was evaluated on a suite.',
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
    units: count.describe('how many units it comes from'),
  })
  .describe('how an arm did, over units');

export const comparison = z
  .strictObject({
    ...contrast,
    factor: factor.optional(),
    declared: z.boolean().describe('whether it was declared'),
    units: count.describe('how many pairs'),
    difference: score,
    low: z.number().optional(),
    high: z.number().optional(),
    effect: score.describe('the difference in standard deviations').optional(),
    p: score.optional(),
    adjusted: score.describe('p, corrected for the number of contrasts').optional(),
    verdict: z
      .enum(['significant', 'equivalent', 'inconclusive', 'not-applicable'])
      .describe('equivalent only by a test with the stated margin; not-applicable: a null by construction'),
    method: name.optional(),
    unitsNeeded: count.describe('how many units would make the difference significant').optional(),
  })
  .describe('two arms compared, paired by unit');

export const ablationCompleted = eventType({
  type: 'AblationCompleted',
  code: 165,
  in: ['ablation'],
  stage: 'never',
  summary: 'An ablation is over: what each arm gave, and what the data support.',
  data: z.strictObject({
    results: z.array(armResult),
    contrasts: z.array(comparison),
    unfinished: z.array(z.strictObject({ arm: name, reason: z.string() })).describe('arms that have no result'),
    conclusions: z.array(z.string()).describe('in words: what the data support and what they do not'),
    spent: amounts.optional(),
    cost: cost.optional(),
    measured: measured.optional(),
  }),
});

function armsNamedTwice(arms: readonly { arm: string }[]): Issue[] {
  return namedTwice(
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
