// The evidence of random stages: attempts of shards, some of which lose, rollouts with optional fields left out, their
// failures, and seals of parts.
import type { EventData } from '../../../../schemas/catalogue.ts';
import { parseStream, streamOf } from '../../../../schemas/streams.ts';
import type { Environment } from './environment.ts';
import { failureClasses } from './measures.ts';
import type { Draw } from './words.ts';
import type { World } from './world.ts';

type Rollout = EventData['RolloutRecorded'];
type Failure = EventData['FailureRecorded'];

const parts = [0, 'training', 1, 'validation'];
const splits = ['probe', 'probe', 'train', 'probe-holdout', 'validation', 'test'] as const;

/** Returns its streams. */
export function writeEvidence(world: World, run: string, stage: number, environment: Environment): string[] {
  const { draw } = world;
  const streams = draw
    .many(4, (index) => draw.many(2, (attempt) => streamOf.evidence(run, stage, parts[index] ?? 0, attempt * 2)))
    .flat();
  for (const stream of draw.shuffled(streams)) moreEvidence(world, stream, stage, environment);
  for (const stream of draw.some(streams, 40)) finish(world, stream);
  return streams;
}

function finish(world: World, stream: string): void {
  const name = parseStream(stream);
  if (name?.category !== 'evidence') throw new Error(`no attempt: ${stream}`);
  const { run, stage, part, shard, attempt } = name;
  const fields = { attempt, count: world.lengthOf(stream), root: world.draw.digest() };
  const work = streamOf.work(run);
  const begin = world.draw.chance(60) ? { begin: world.draw.below(6) } : {};
  if (shard === null || world.draw.chance(70)) world.add(work, 'AttemptFinished', stage, { part, ...fields, ...begin });
  else
    world.add(work, 'ShardCompleted', stage, { shard, attempt: 0, fencingToken: 1, holder: 'me', attempts: [fields] });
}

export function moreEvidence(world: World, stream: string, stage: number, environment: Environment): void {
  const { draw } = world;
  for (let left = draw.below(5); left >= 0; left--) {
    const rollout = randomRollout(draw, environment);
    const id = world.add(stream, 'RolloutRecorded', stage, rollout);
    if (draw.chance(35)) world.add(stream, 'FailureRecorded', stage, randomFailure(draw, id, rollout));
  }
}

/** One attempt of each part, or none: whole, or only its beginning. */
export function randomSeal(world: World, streams: readonly string[]): EventData['EvidenceSealed'] {
  const { draw } = world;
  const attemptsOf = Map.groupBy(streams, (stream) => stream.slice(0, stream.lastIndexOf('-')));
  return {
    attempts: draw.some([...attemptsOf.values()], 85).map((attempts) => {
      const stream = draw.pick(attempts);
      const there = world.lengthOf(stream);
      return { stream, count: draw.chance(70) ? there : draw.below(there + 1), root: draw.digest() };
    }),
  };
}

function randomRollout(draw: Draw, { name, families }: Environment): Rollout {
  return {
    environment: name,
    split: draw.pick(splits),
    policy: draw.name(),
    outcome: draw.name(),
    ...(families.length > 0 && draw.chance(85) ? { family: draw.pick(families) } : {}),
    ...draw.optional(85, { success: draw.chance(50), sample: draw.below(3), reward: draw.score() }),
    ...draw.optional(40, {
      failureClass: draw.pick(failureClasses),
      truncated: draw.chance(40),
      agentSteps: draw.count(),
      task: draw.optional(60, {
        id: draw.name(),
        digest: draw.digest(),
        seed: draw.wide(),
        facts: { holes: draw.below(9), wet: draw.chance(50), [draw.name()]: draw.number() },
      }),
    }),
    ...(draw.chance(20) ? { failures: randomFailures(draw) } : {}),
    ...draw.optional(15, {
      trainingStep: draw.count(),
      checkpoint: draw.name(),
      prompt: randomText(draw),
      completion: randomText(draw),
      reasoning: randomText(draw),
      answer: draw.pick<unknown>([null, 1, 'UDLR', ['U'], { plan: draw.text() }]),
      expected: draw.pick<unknown>([0, false, '', []]),
      stopReason: draw.name(),
      error: { kind: draw.name(), message: draw.text() },
      rewards: draw.scores(),
      metrics: draw.scores(),
      tokens: draw.optional(60, { input: draw.count(), output: draw.count(), reasoning: 0, cached: 1 }),
      cost: { currency: 'USD', total: draw.below(5) / 4 },
      seed: draw.wide(),
      details: { kind: draw.name(), content: draw.free() },
      measured: { [draw.name()]: draw.text() },
    }),
  };
}

export function randomText(draw: Draw): NonNullable<Rollout['prompt']> {
  return draw.chance(75) ? { text: draw.text() } : { blob: draw.digest(), bytes: 12, preview: draw.text() };
}

function randomFailure(draw: Draw, rollout: string, { environment, split, family }: Rollout): Failure {
  return {
    rollout,
    environment,
    split,
    failures: randomFailures(draw),
    ...(family === undefined ? {} : { family }),
    ...draw.optional(50, { task: draw.digest(), policy: draw.name(), classifier: draw.name() }),
  };
}

function randomFailures(draw: Draw): Failure['failures'] {
  const failure = () => ({
    class: draw.pick(failureClasses),
    ...draw.optional(50, { step: draw.below(9), message: draw.text(), details: draw.free() }),
  });
  return [failure(), ...draw.many(2, failure)];
}
