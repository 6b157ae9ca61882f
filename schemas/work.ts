// Who runs a run and who has which shard of a stage. A lease's end lets another claim; only the fencing token decides what counts.
import { z } from 'zod';
import { eventType } from './family.ts';
import { count, digest, measured, name } from './primitives.ts';

const fencingToken = z.int().min(1).describe('the fencing token: a claim with a higher one makes all lower ones void');
const holder = name.describe('who holds it: unique for each process that ever claims');
const leaseSeconds = z
  .number()
  .nonnegative()
  .describe(
    'how long it is held, counted from when a reader first sees it; the same token again renews it, 0 gives it back',
  );

export const runClaimed = eventType({
  type: 'RunClaimed',
  code: 100,
  in: ['work'],
  stage: 'never',
  summary: 'A process took the run into its hands, renewed its lease, or let go.',
  data: z.strictObject({ fencingToken, holder, leaseSeconds, measured: measured.optional() }),
});

const shardFields = {
  shard: count.describe('which part of the stage, from 0'),
  attempt: count.describe('which try at it, from 0: its evidence has streams of its own'),
  fencingToken,
  holder,
} as const;

export const shardClaimed = eventType({
  type: 'ShardClaimed',
  code: 101,
  in: ['work'],
  stage: 'always',
  summary: 'A worker took a shard of a stage, renewed its lease, or let go.',
  data: z.strictObject({ ...shardFields, leaseSeconds, measured: measured.optional() }),
});

const attemptFields = {
  attempt: count.describe('the last part of the name of its stream'),
  count: count.describe('how many events its evidence stream has'),
  root: digest.describe('the Merkle root over their digests'),
} as const;

export const attemptFinished = eventType({
  type: 'AttemptFinished',
  code: 103,
  in: ['work'],
  stage: 'always',
  summary:
    'An evidence stream takes no more events; a seal decides whether it counts. Recorded where evidence has a store of its own.',
  data: z.strictObject({
    part: name.describe('what the attempt is of: the number of a shard, or a word'),
    ...attemptFields,
    begin: count
      .describe(
        'how many events of its part come before its first; of earlier attempts nothing counts from there on. Absent where nobody resumes it',
      )
      .optional(),
    fencingToken: fencingToken.optional(),
    place: z
      .strictObject({
        partition: count,
        from: count.describe('the offset of its first event'),
        to: count.describe('the offset of its last event'),
      })
      .describe(
        'where its events were written in Kafka: a hint, since offsets change when a topic is restored or mirrored',
      )
      .optional(),
    measured: measured.optional(),
  }),
});

export const shardCompleted = eventType({
  type: 'ShardCompleted',
  code: 102,
  in: ['work'],
  stage: 'always',
  summary: 'A worker has written all the evidence of its shard; the seal decides whether it counts.',
  data: z.strictObject({
    ...shardFields,
    attempts: z
      .array(z.strictObject(attemptFields))
      .describe('what counts together, in order; none where the shard has no rollouts'),
    measured: measured.optional(),
  }),
});
