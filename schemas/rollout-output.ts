// Everything about one rollout, for a page that shows it and plays it step by step.
import { z } from 'zod';
import { split } from './evidence.ts';
import { cost } from './parts.ts';
import { blob, count, details, digest, json, moment, name, runId, stream, uuid, wideInteger } from './primitives.ts';

const reason = z.string().nullable().describe('why there is no value; null: there is one, or nobody said');

const amount = z.strictObject({ value: z.number().nullable(), reason });

const meaning = z.string().nullable().describe('what it means, as the environment describes it');

const textStates = ['whole', 'shortened', 'missing', 'unreadable', 'redacted', 'erased'] as const;

const longText = z
  .strictObject({
    text: z.string().nullable().describe('null: it is not available'),
    state: z
      .enum(textStates)
      .describe(
        'shortened: only its first megabyte; redacted: its erasure is recorded, but its blob still exists; erased: it is gone',
      ),
    bytes: count.nullable().describe('length of the whole text in UTF-8; null: unknown'),
    note: z.string().nullable().describe('what is missing and why, in words'),
  })
  .describe('a text of the rollout');

const svg = z.string().describe('one <svg> element without scripts; show it as an image');

const drawing = z
  .strictObject({
    text: z.string(),
    svg: svg.nullable(),
    animation: svg
      .nullable()
      .describe('the same in motion; null: none was drawn, or fewer than all frames were asked for'),
    frames: z
      .array(z.strictObject({ svg, says: z.string().describe('a caption: step 3: b falls into a hole') }))
      .nullable()
      .describe(
        'one picture per step, all of the same size; null: none was asked for, or its environment draws none, or too many',
      ),
  })
  .describe('drawn now by the environment');

const pictures = z.strictObject({
  legend: z.string().nullable().describe('how to read the drawings; null: the environment does not say'),
  drawing: drawing.nullable().describe('the rollout'),
  plan: z
    .strictObject({ answer: json, ...drawing.shape })
    .nullable()
    .describe('the best answer that the environment finds; null: it looks for none, or finds none in time'),
  note: z.string().nullable().describe('what is not drawn and why; null: nothing is missing'),
});

/** Which pictures of single steps are wanted; `failed` is the first step that failed, else the last one. */
export const frameChoices = ['all', 'none', 'first', 'last', 'failed'] as const;
/** `failed`: of the first step that failed, else of the last one. */
export type FrameChoice = (typeof frameChoices)[number];

export const rolloutShown = z
  .strictObject({
    ledger: z.string().describe('the URL of the ledger'),
    event: uuid,
    stream,
    revision: count,
    run: runId,
    name: z.string().describe('the name of the run'),
    stage: count.nullable(),
    part: z.union([z.string(), count]).nullable().describe('of its stage: a shard, or what it was recorded for'),
    sealed: z.boolean().nullable().describe('whether a seal covers it; null: its run is not in this ledger'),
    happened_at: moment,
    environment: name,
    split,
    family: z.string().nullable(),
    sample: count.nullable(),
    training_step: count.nullable().describe('the update of the trainer at which it was sampled'),
    outcome: z.strictObject({ name, meaning }),
    success: z.boolean().nullable(),
    failures: z
      .array(
        z.strictObject({
          class: z.string(),
          meaning,
          step: count.nullable().describe('from 1'),
          says: z.string().nullable(),
          details: details.nullable(),
        }),
      )
      .describe('in order; the first one is its failure class'),
    error: z.strictObject({ kind: name, message: z.string() }).nullable().describe('the fault that spoilt it'),
    steps: count.nullable().describe('number of actions of the agents'),
    stop_reason: z.string().nullable(),
    truncated: z.boolean().nullable().describe('whether its answer was cut off'),
    reward: amount.nullable(),
    rewards: z.array(z.strictObject({ name, weight: z.number().nullable(), ...amount.shape })),
    metrics: z.array(z.strictObject({ name, meaning, ...amount.shape })),
    policy: name,
    checkpoint: name.nullable(),
    tokens: z
      .strictObject({
        input: count.nullable(),
        output: count.nullable(),
        reasoning: count.nullable(),
        cached: count.nullable(),
      })
      .nullable(),
    cost: cost.nullable(),
    seed: wideInteger.nullable(),
    prompt: longText.nullable(),
    completion: longText.nullable(),
    reasoning: longText.nullable(),
    transcript: longText.nullable(),
    answer: json.describe('the answer that was judged; null: none is recorded'),
    expected: json.describe('the expected answer; null: none is recorded'),
    task: z.strictObject({
      id: z.string().nullable(),
      digest: digest.nullable(),
      seed: wideInteger.nullable(),
      instance: details.nullable().describe('the task itself; null: it is not in the event'),
      blob: blob.nullable().describe('where the task is, if it is large'),
      facts: z.array(z.strictObject({ name, meaning, value: z.union([z.number(), z.boolean()]) })),
      conditions: z.array(z.strictObject({ name, value: z.union([z.string(), z.number(), z.boolean()]) })),
    }),
    details: z
      .strictObject({ kind: name, content: details })
      .nullable()
      .describe('content that only its environment understands'),
    source: z.string().nullable().describe('the tool and the place it was imported from'),
    pictures,
  })
  .describe('a rollout');

/** One rollout: what was asked, answered and judged, and drawings of it. */
export type RolloutShown = z.infer<typeof rolloutShown>;
export type RolloutDrawing = NonNullable<RolloutShown['pictures']['drawing']>;
export type RolloutText = NonNullable<RolloutShown['prompt']>;
