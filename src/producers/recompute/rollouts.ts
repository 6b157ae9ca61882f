// Judges the sealed rollouts again.

import { setImmediate } from 'node:timers/promises';
import type { EventData } from '../../../schemas/catalogue.ts';
import { streamOf } from '../../../schemas/streams.ts';
import { type Environment, isSpoilt, type Judged, type Try, type Verdict } from '../../lab/environments/environment.ts';
import { rolloutData } from '../../lab/evaluation/recorded.ts';
import { ProgramFault } from '../../lab/programs/program.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { StoredEvent } from '../../ledger/stored.ts';
import type { Account } from './account.ts';
import { PartOrder, type TrainingTasks } from './order.ts';
import type { TextOf } from './summaries.ts';
import type { Audits } from './trainings.ts';

type Rollout = EventData['RolloutRecorded'];

type Failure = EventData['FailureRecorded'];

interface Recorded {
  readonly event: StoredEvent;
  readonly data: Rollout;
  readonly failure: { readonly event: StoredEvent; readonly data: Failure } | null;
}

/** A rollout as input for its environment. */
interface RolloutToJudge extends Recorded {
  readonly tried: Try;
}

export interface RejudgeOptions {
  readonly ledger: Ledger;
  readonly sealed: EventData['EvidenceSealed'];
  /** The trainer that sampled the rollouts of a stream; null if it does not belong to a training. */
  readonly trainerOf: (stream: string) => Trainer | null;
  readonly audits: Audits;
  /** Unknown for an arm, which has no shards. */
  readonly training?: TrainingTasks;
  readonly environment: Environment;
  readonly textOf: TextOf;
  readonly account: Account;
  readonly signal: AbortSignal;
  /** Called for every event of evidence. */
  readonly onEvent: () => Promise<void>;
}

type Trainer = Partial<NonNullable<EventData['TrainingRecorded']['trainer']>>;

/** The actor of a run's evidence. */
const own = 'producer/rollouts';

export async function rejudge(of: RejudgeOptions): Promise<void> {
  const { environment, account, signal } = of;
  const order = new PartOrder(account, of.training ?? null);
  const source = asked(of, order);
  const held: RolloutToJudge[] = [];
  // The environment may stop reading early; the next call continues from there.
  async function* tries(): AsyncGenerator<Try> {
    for (const { tried } of [...held]) yield tried;
    for (;;) {
      const next = await source.next();
      if (next.done === true) return;
      held.push(next.value);
      yield next.value.tried;
    }
  }
  for (;;) {
    try {
      for await (const verdict of environment.judge(tries(), signal)) {
        const first = held.shift();
        if (first !== undefined) compare(of, first, verdict);
      }
      await order.conclude();
      return;
    } catch (fault) {
      signal.throwIfAborted();
      const first = held.shift();
      if (first === undefined || !(fault instanceof Error)) throw fault;
      if (fault instanceof ProgramFault) return await skipAll([first, ...held], source, account, fault.message);
      account.fault(first.event, 'recomputed-rollout', `cannot be judged: ${fault.message}`);
    }
  }
}

/** For rollouts without an environment to judge them. */
export async function skipRollouts(
  of: Omit<RejudgeOptions, 'environment' | 'textOf' | 'trainerOf' | 'audits'>,
  why: string,
): Promise<void> {
  const { ledger, sealed, account, signal, onEvent } = of;
  for (const { stream, count } of sealed.attempts.filter((attempt) => attempt.count > 0)) {
    for await (const events of ledger.read(stream, { from: 0, to: count - 1 })) {
      await setImmediate();
      for (const event of events) {
        signal.throwIfAborted();
        await onEvent();
        if (event.type === 'RolloutRecorded') account.skip(event, 'rollouts', why);
      }
    }
  }
}

async function skipAll(
  held: readonly RolloutToJudge[],
  source: AsyncGenerator<RolloutToJudge>,
  account: Account,
  why: string,
): Promise<void> {
  for (const { event } of held) account.skip(event, 'rollouts', why);
  for await (const { event } of source) account.skip(event, 'rollouts', why);
}

async function* asked(of: RejudgeOptions, order: PartOrder): AsyncGenerator<RolloutToJudge, void, undefined> {
  for await (const recorded of recordedIn(of, order)) {
    const tried = await tryOf(of, recorded);
    if (typeof tried === 'string') of.account.skip(recorded.event, 'rollouts', tried);
    else yield { ...recorded, tried };
  }
}

/** A failure follows right after its rollout. */
async function* recordedIn(
  { ledger, sealed, account, signal, onEvent }: RejudgeOptions,
  order: PartOrder,
): AsyncGenerator<Recorded> {
  for (const { stream, count } of sealed.attempts) {
    if (count === 0) continue;
    let last = -1;
    let held = null as Recorded | null;
    for await (const events of ledger.read(stream, { from: 0, to: count - 1 })) {
      await setImmediate();
      for (const event of events) {
        signal.throwIfAborted();
        if (event.revision <= last) continue;
        last = event.revision;
        await onEvent();
        const { reading } = event;
        if (reading.known && reading.type === 'FailureRecorded') {
          const { data } = reading;
          if (held?.event.id === data.rollout && held.failure === null) {
            if (event.envelope.actor === own) order.failure(event, held.event);
            held = { ...held, failure: { event, data } };
          } else if (event.envelope.actor === own) {
            account.fault(event, 'recomputed-failure', `data.rollout: it does not follow the rollout ${data.rollout}`);
          }
          continue;
        }
        if (held !== null) yield held;
        held = null;
        if (reading.known && reading.type === 'RolloutRecorded' && event.envelope.actor === own) {
          order.rollout(event, reading.data);
        } else order.foreign(event);
        if (reading.known && reading.type === 'RolloutRecorded') held = { event, data: reading.data, failure: null };
        else account.skip(event, 'rollouts', 'of an unknown type or version');
      }
    }
    if (held !== null) yield held;
  }
}

/** Or why it cannot be judged. */
async function tryOf(
  { ledger, textOf, environment }: RejudgeOptions,
  { event, data }: Recorded,
): Promise<Try | string> {
  const { task, family, error, truncated } = data;
  if (event.envelope.actor !== own) return `recorded by ${event.envelope.actor}`;
  if (data.environment !== environment.descriptor.environment) return `of another environment, ${data.environment}`;
  if (error !== undefined) return 'without an answer because of a fault';
  if (task?.inline === undefined) return 'recorded without their tasks';
  const said = await answerOf(ledger, data, textOf);
  if (said === null) return 'their answers are missing';
  const { id = task.digest ?? '', inline, facts = {} } = task;
  return {
    task: { id, family: family ?? '', instance: inline, facts },
    answer: said.answer,
    ...(truncated === undefined ? {} : { truncated }),
  };
}

/** As received from a model, otherwise as parsed; null if it no longer exists. */
async function answerOf(
  ledger: Ledger,
  { modelAnswer, answer }: Rollout,
  textOf: TextOf,
): Promise<{ readonly answer: unknown } | null> {
  if (modelAnswer === undefined) return answer === undefined ? null : { answer };
  for await (const events of ledger.read(streamOf.answer(modelAnswer))) {
    for (const { reading } of events) {
      if (!reading.known || reading.type !== 'ModelAnswered') continue;
      if (reading.data.answer === null) return { answer: null };
      const text = await textOf(reading.data.answer);
      return text === null ? null : { answer: text };
    }
  }
  return null;
}

function compare({ account, trainerOf, audits }: RejudgeOptions, asked: RolloutToJudge, verdict: Verdict): void {
  const { event, data, failure, tried } = asked;
  if (isSpoilt(verdict)) {
    account.skip(event, 'rollouts', `their environment could not judge them: ${verdict.spoilt.kind}`);
    return;
  }
  account.again('rollouts');
  const trainer = trainerOf(event.stream);
  const isTrained = trainer !== null;
  const computed = computedOf(data, tried, verdict);
  const audit = audits.get(trainer?.name ?? '');
  if (isTrained && audit === undefined) {
    // A program has its own rewards and metrics, words its failure messages freely, and may leave out what follows from the rest.
    const { task, outcome, success } = recordedOf(data);
    const recorded = {
      outcome,
      ...(task.digest === undefined ? {} : { task }),
      ...(success === undefined ? {} : { success }),
    };
    account.hold(event, 'recomputed-rollout', recorded, only(Object.keys(recorded), computed));
    return;
  }
  const reward = isTrained && audit !== undefined ? audit.rewardOf(verdict, trainer.parameters ?? {}) : computed.reward;
  const metrics = isTrained ? only(Object.keys(data.metrics ?? {}), computed.metrics) : computed.metrics;
  account.hold(event, 'recomputed-rollout', recordedOf(data), { ...computed, metrics, reward });
  if (data.failures !== undefined) {
    const failures = isTrained ? verdict.failures.map(({ message: _, ...brief }) => brief) : verdict.failures;
    account.hold(event, 'recomputed-failure', { failures: data.failures }, { failures });
  } else if (failure !== null) {
    account.hold(failure.event, 'recomputed-failure', comparableFailure(failure.data), failureOf(data, verdict));
  } else if (verdict.failures[0] !== undefined) {
    const says = `is not followed by a failure, computed again "${verdict.failures[0].class}"`;
    account.fault(event, 'recomputed-failure', says);
  }
}

/** Training omits fields that follow from others. */
function only(names: readonly string[], computed: object): object {
  return Object.fromEntries(Object.entries(computed).filter(([name]) => names.includes(name)));
}

type Compared = ReturnType<typeof recordedOf>;

function recordedOf({ task, answer, outcome, success, failureClass, reward, metrics }: Rollout) {
  const digest = task?.digest;
  return { task: { digest }, answer, outcome, success, failureClass, reward, metrics: withoutSureness(metrics) };
}

/** The recorded form of a rollout with this verdict. */
function computedOf({ environment, split, policy }: Rollout, tried: Try, verdict: Judged): Compared {
  const trial = { environment, split, policy: { component: { name: policy }, checkpoint: null } };
  return recordedOf(rolloutData(trial, { planned: { ...tried, sample: 0 }, verdict }));
}

/** What the policy reported about itself is among the metrics. */
function withoutSureness(metrics: Rollout['metrics'] = {}): object {
  const { logProbability: _, entropy: __, value: ___, ...measured } = metrics;
  return measured;
}

function comparableFailure({ environment, task, split, family, policy, failures }: Failure): object {
  return { environment, task, split, family, policy, failures };
}

function failureOf({ environment, task, split, family, policy }: Rollout, { failures }: Judged): object {
  return { environment, task: task?.digest, split, family, policy, failures };
}
