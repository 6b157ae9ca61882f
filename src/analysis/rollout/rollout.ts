// Everything that is recorded about one rollout, with what the environment says its words mean.
import type { EventData } from '../../../schemas/catalogue.ts';
import type { Descriptor } from '../../../schemas/environment.ts';
import { IcecoreError } from '../../../schemas/errors.ts';
import type { RolloutShown, RolloutText } from '../../../schemas/rollout-output.ts';
import { parseStream } from '../../../schemas/streams.ts';
import { familyOf } from '../../lab/environments/rollout-reading.ts';
import type { Registry } from '../../lab/registry.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { runOf } from '../../ledger/runs.ts';
import type { StoredEvent } from '../../ledger/stored.ts';
import { type RunRead, readRun } from '../../producers/history/reading.ts';
import { type PictureChoice, picturesOf } from './pictures.ts';

type Rollout = EventData['RolloutRecorded'];
type Failure = EventData['FailureRecorded'];
type Text = NonNullable<Rollout['prompt']>;

export interface RolloutSources {
  readonly ledger: Ledger;
  /** Of code that was not found: a rollout executes nothing else. */
  readonly registry: Registry;
  /** A text of the event by its field, such as `data.prompt`. */
  readonly textOf: (field: string, text: Text) => Promise<RolloutText>;
  readonly pictures: PictureChoice;
  readonly signal: AbortSignal;
}

/** Throws if the event is no rollout that this icecore can read. */
export async function rolloutOf(event: StoredEvent, sources: RolloutSources): Promise<RolloutShown> {
  const { ledger, registry, pictures: wanted, signal } = sources;
  const data = rolloutIn(event);
  const failure = await failureAfter(ledger, event);
  const read = await runOfEvent(ledger, event);
  const descriptor = read?.descriptor ?? null;
  return {
    ledger: ledger.url,
    event: event.id,
    stream: event.stream,
    revision: event.revision,
    ...placeOf(event, read),
    ...judgedAs(data, failure, descriptor),
    ...madeBy(data),
    ...(await textsOf(data, sources)),
    answer: data.answer ?? null,
    expected: data.expected ?? null,
    task: taskIn(data, descriptor),
    details: data.details ?? null,
    source: sourceIn(data),
    family: data.family ?? (descriptor === null ? null : familyOf(descriptor, data)),
    pictures: await picturesOf({ data, failure, descriptor, registry, wanted, signal }),
  };
}

function rolloutIn({ id, type, reading }: StoredEvent): Rollout {
  if (reading.known && reading.type === 'RolloutRecorded') return reading.data;
  if (type === 'RolloutRecorded')
    throw new IcecoreError('newer-format', `${id} is a rollout that a newer icecore recorded`, {
      facts: { event: id },
      remedy: 'Update icecore.',
    });
  throw new IcecoreError('usage', `${id} is a ${type}, allowed: a RolloutRecorded`, {
    facts: { event: id, found: type, allowed: 'RolloutRecorded' },
    remedy: 'icecore event show shows any event.',
  });
}

/** A failure follows right after its rollout. */
async function failureAfter(ledger: Ledger, { id, stream, revision }: StoredEvent): Promise<Failure | null> {
  for await (const events of ledger.read(stream, { from: revision + 1, limit: 1 })) {
    const reading = events[0]?.reading;
    const isIts = reading?.known === true && reading.type === 'FailureRecorded' && reading.data.rollout === id;
    return isIts ? reading.data : null;
  }
  return null;
}

/** Null if the ledger has nothing but the rollout. */
async function runOfEvent(ledger: Ledger, { stream, envelope }: StoredEvent): Promise<RunRead | null> {
  const name = parseStream(stream);
  const run = name?.category === 'evidence' ? name.run : envelope.run;
  const found = run === null ? null : await runOf(ledger, run);
  return found === null ? null : await readRun(ledger, found);
}

type Place = Pick<RolloutShown, 'run' | 'name' | 'stage' | 'part' | 'sealed' | 'happened_at'>;

function placeOf({ stream, revision, envelope }: StoredEvent, read: RunRead | null): Place {
  const name = parseStream(stream);
  const place = name?.category === 'evidence' ? name : null;
  const stage = place?.stage ?? envelope.stage;
  const run = place?.run ?? envelope.run ?? '';
  const seal = read?.stages.find((one) => one.stage === stage)?.sealed?.data;
  const isSealed = seal?.attempts.some((one) => one.stream === stream && revision < one.count) ?? false;
  return {
    run,
    name: read?.name ?? run,
    stage,
    part: place === null ? null : (place.shard ?? place.part),
    sealed: read === null || read.started === null ? null : isSealed,
    happened_at: envelope.at,
  };
}

type Judged = Pick<
  RolloutShown,
  | 'environment'
  | 'split'
  | 'sample'
  | 'training_step'
  | 'outcome'
  | 'success'
  | 'failures'
  | 'error'
  | 'steps'
  | 'stop_reason'
  | 'truncated'
  | 'reward'
  | 'rewards'
  | 'metrics'
>;

function judgedAs(data: Rollout, failure: Failure | null, descriptor: Descriptor | null): Judged {
  const outcomes = descriptor?.outcomes?.find(({ outcome }) => outcome === data.outcome);
  const meanings = new Map(descriptor?.metrics?.map(({ metric, meaning }) => [metric, meaning]));
  return {
    environment: data.environment,
    split: data.split,
    sample: data.sample ?? null,
    training_step: data.trainingStep ?? null,
    outcome: { name: data.outcome, meaning: outcomes?.meaning ?? null },
    success: data.success ?? null,
    failures: failuresIn(data, failure, descriptor),
    error: data.error ?? null,
    steps: data.agentSteps ?? null,
    stop_reason: data.stopReason ?? null,
    truncated: data.truncated ?? null,
    reward: data.reward === undefined ? null : amountOf(data.reward),
    rewards: Object.entries(data.rewards ?? {}).map(([name, score]) => ({
      ...{ name, weight: data.weights?.[name] ?? null },
      ...amountOf(score),
    })),
    metrics: Object.entries(data.metrics ?? {}).map(([name, score]) => ({
      ...{ name, meaning: meanings.get(name) ?? null },
      ...amountOf(score),
    })),
  };
}

function amountOf(score: NonNullable<Rollout['reward']>): { value: number | null; reason: string | null } {
  return typeof score === 'number' ? { value: score, reason: null } : { value: null, reason: score.reason };
}

function failuresIn(data: Rollout, failure: Failure | null, descriptor: Descriptor | null): RolloutShown['failures'] {
  const meanings = new Map(descriptor?.failureClasses?.map((one) => [one.class, one.meaning]));
  const only = data.failureClass === undefined ? [] : [{ class: data.failureClass }];
  const failures: Failure['failures'] | typeof only = failure?.failures ?? data.failures ?? only;
  return failures.map((one: Partial<Failure['failures'][number]> & { readonly class: string }) => ({
    class: one.class,
    meaning: meanings.get(one.class) ?? null,
    step: one.step ?? null,
    says: one.message ?? null,
    details: one.details ?? null,
  }));
}

type Made = Pick<RolloutShown, 'policy' | 'checkpoint' | 'tokens' | 'cost' | 'seed'>;

function madeBy({ policy, checkpoint, tokens, cost, seed }: Rollout): Made {
  const { input, output, reasoning, cached } = tokens ?? {};
  return {
    policy,
    checkpoint: checkpoint ?? null,
    tokens:
      tokens === undefined
        ? null
        : { input: input ?? null, output: output ?? null, reasoning: reasoning ?? null, cached: cached ?? null },
    cost: cost ?? null,
    seed: seed ?? null,
  };
}

const texts = ['prompt', 'completion', 'reasoning', 'transcript'] as const;

async function textsOf(data: Rollout, { textOf }: RolloutSources): Promise<Pick<RolloutShown, (typeof texts)[number]>> {
  const [prompt = null, completion = null, reasoning = null, transcript = null] = await Promise.all(
    texts.map(async (field) => {
      const text = data[field];
      return text === undefined ? null : await textOf(`data.${field}`, text);
    }),
  );
  return { prompt, completion, reasoning, transcript };
}

function taskIn({ task = {} }: Rollout, descriptor: Descriptor | null): RolloutShown['task'] {
  const meanings = new Map(descriptor?.facts?.map(({ fact, meaning }) => [fact, meaning]));
  const { id, digest, seed, inline, blob, facts = {}, conditions = {} } = task;
  return {
    id: id ?? null,
    digest: digest ?? null,
    seed: seed ?? null,
    instance: inline ?? null,
    blob: blob ?? null,
    facts: Object.entries(facts).map(([name, value]) => ({ name, meaning: meanings.get(name) ?? null, value })),
    conditions: Object.entries(conditions).map(([name, value]) => ({ name, value })),
  };
}

function sourceIn({ source }: Rollout): string | null {
  if (source === undefined) return null;
  const { tool, version, location, line, id } = source;
  const where = [location, line === undefined ? undefined : `line ${line}`, id].filter((one) => one !== undefined);
  return [version === undefined ? tool : `${tool} ${version}`, ...where].join(', ');
}
