// Claims of runs and of the shards of a stage. When a lease ends, others may claim; only the fencing token decides whose work counts.
import { z } from 'zod';
import { eventType } from './family.ts';
import { count, digest, measured, name } from './primitives.ts';

const fencingToken = z
  .int()
  .min(1)
  .describe('the fencing token: a claim with a higher token invalidates all lower ones');
const holder = name.describe('the holder: a unique name for each process that claims');
const leaseSeconds = z
  .number()
  .nonnegative()
  .describe(
    'the duration of the lease, counted from when a reader first sees it; the same token again renews it, 0 releases it',
  );

export const runClaimed = eventType({
  type: 'RunClaimed',
  code: 100,
  in: ['work'],
  stage: 'never',
  summary: 'A process claimed the run, renewed its lease, or released it.',
  data: z.strictObject({ fencingToken, holder, leaseSeconds, measured: measured.optional() }),
});

const shardFields = {
  shard: count.describe('the number of the shard, from 0'),
  attempt: count.describe('the number of the attempt, from 0; each attempt has its own evidence streams'),
  fencingToken,
  holder,
} as const;

export const shardClaimed = eventType({
  type: 'ShardClaimed',
  code: 101,
  in: ['work'],
  stage: 'always',
  summary: 'A worker claimed a shard of a stage, renewed its lease, or released it.',
  data: z.strictObject({ ...shardFields, leaseSeconds, measured: measured.optional() }),
});

const attemptFields = {
  attempt: count.describe('the last part of the name of its stream'),
  count: count.describe('number of events in its evidence stream'),
  root: digest.describe('the Merkle root over their digests'),
} as const;

export const attemptFinished = eventType({
  type: 'AttemptFinished',
  code: 103,
  in: ['work'],
  stage: 'always',
  summary:
    'An evidence stream is complete; a seal decides whether it counts. Recorded if evidence has a separate store.',
  data: z.strictObject({
    part: name.describe('the part of the stage: the number of a shard, or a word'),
    ...attemptFields,
    begin: count
      .describe(
        'number of events of its part before its first event; events of earlier attempts from there on do not count. Absent: the part is never resumed',
      )
      .optional(),
    fencingToken: fencingToken.optional(),
    place: z
      .strictObject({
        partition: count,
        from: count.describe('the offset of its first event'),
        to: count.describe('the offset of its last event'),
      })
      .describe('where its events are in Kafka; a hint, since offsets change when a topic is restored or mirrored')
      .optional(),
    measured: measured.optional(),
  }),
});

export const shardCompleted = eventType({
  type: 'ShardCompleted',
  code: 102,
  in: ['work'],
  stage: 'always',
  summary: 'A worker has written all evidence of its shard; the seal decides whether it counts.',
  data: z.strictObject({
    ...shardFields,
    attempts: z
      .array(z.strictObject(attemptFields))
      .describe('the attempts that count together, in order; empty: the shard has no rollouts'),
    measured: measured.optional(),
  }),
});
