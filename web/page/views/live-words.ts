// An event in one line of words.

import type { EventData } from '../../../schemas/catalogue.ts';
import { many, numberWords, percent } from '../../charts/words.ts';
import type { LiveEvent } from '../live.ts';
import { amountsWords } from '../words.ts';

type Stage = number | null;

type Words = { readonly [Type in keyof EventData]: (data: EventData[Type], stage: Stage) => string };

const words: Words = {
  RunStarted: ({ name, environment, engineer }) =>
    `${name} started on ${environment.name}${engineer === undefined ? '' : `; ${engineer.name} decides`}`,
  RunTakenOver: ({ holder, from }) => `${holder} took the run over from ${from}`,
  RunClaimed: ({ holder, leaseSeconds }) =>
    leaseSeconds === 0 ? `${holder} released the run` : `${holder} holds the run for ${numberWords(leaseSeconds)} s`,
  RunCompleted: ({ stages, results = [] }) => `complete after ${many(stages, 'stage')}${after(resultsWords(results))}`,
  RunFailed: ({ reason, message, resumable }) =>
    `${reason}: ${message}${resumable ? '; icecore resume continues it' : ''}`,
  RunAnnotated: ({ note }) => note,
  StageStarted: (_, stage) => `stage ${stage} started`,
  StageCompleted: ({ results = [], alerts = [] }, stage) =>
    `stage ${stage} is complete${after(resultsWords(results))}${alerts.length === 0 ? '' : `; ${many(alerts.length, 'alert')}`}`,
  EvidenceSealed: ({ attempts }) => {
    const events = attempts.reduce((sum, { count }) => sum + count, 0);
    return `the evidence of ${many(attempts.length, 'attempt')} is final: ${many(events, 'event')}`;
  },
  ConfigAdopted: ({ by, changes }, stage) => `${deciders[by]} for stage ${stage}: ${changesWords(changes)}`,
  ProposalRecorded: ({ engineer, changes }, stage) =>
    `${engineer.name} proposed for stage ${stage}: ${changesWords(changes)}`,
  ProposalRejected: ({ engineer, reason }, stage) => `an answer of ${engineer.name} for stage ${stage} is ${reason}`,
  ProposalErrored: ({ engineer, error }) => `${engineer.name} could not answer, ${error.kind}: ${error.message}`,
  SummaryRecorded: ({ module, facts, rollouts }) =>
    `${module}: ${many(facts.length, 'fact')}${rollouts === undefined ? '' : ` from ${many(rollouts, 'rollout')}`}`,
  ContextRecorded: ({ contextForm: { name, modules }, tokens }, stage) =>
    `the context ${name ?? modules.join('+')} for stage ${stage}, ${many(tokens, 'token')}`,
  ModelAnswered: ({ model, finishReason, usage = {} }) =>
    `${model.name} answered (${finishReason})${after(amountsWords(usage))}`,
  TrainingRecorded: (data) => trainingWords(data),
  EvaluationRecorded: (data) => evaluationWords(data),
  RolloutRecorded: ({ success, outcome, failureClass, family, split, reward }) => {
    const how = failureClass === undefined || failureClass === outcome ? outcome : `${outcome}, ${failureClass}`;
    const came = success === undefined ? how : `${success ? 'solved' : 'failed'} (${how})`;
    return listed(
      came,
      family && `family ${family}`,
      split,
      typeof reward === 'number' && `reward ${numberWords(reward)}`,
    );
  },
  FailureRecorded: ({ failures, family, split }) =>
    listed(failures.map((one) => one.class).join(', then '), family && `family ${family}`, split),
  ShardClaimed: ({ holder, shard, leaseSeconds }) =>
    leaseSeconds === 0 ? `${holder} released shard ${shard}` : `${holder} works on shard ${shard}`,
  ShardCompleted: ({ holder, shard, attempts }) => {
    const events = attempts.reduce((sum, { count }) => sum + count, 0);
    return `${holder} finished shard ${shard}: ${many(events, 'event')}`;
  },
  AttemptFinished: ({ part, count }) => `the evidence of ${part} is whole: ${many(count, 'event')}`,
  Redacted: ({ reason, erased }) => `${many(erased.length, 'text')} erased: ${reason}`,
  AblationStarted: ({ name, arms, depth }) =>
    `${name ?? 'an ablation'} started: ${many(arms.length, 'arm')}, depth ${depth}`,
  ArmProposed: ({ arm, changes }, stage) => `arm ${arm} proposed for stage ${stage}: ${changesWords(changes)}`,
  ArmRejected: ({ arm, reason }, stage) => `the answer of arm ${arm} for stage ${stage} is ${reason}`,
  ArmErrored: ({ arm, error }) => `arm ${arm} errored, ${error.kind}: ${error.message}`,
  ArmTrained: (data) => `arm ${data.arm}: ${trainingWords(data)}`,
  ArmEvaluated: (data) => `arm ${data.arm}: ${evaluationWords(data)}`,
  AblationCompleted: ({ conclusions }) => conclusions[0] ?? 'complete',
};

const deciders = {
  engineer: 'the engineer decided',
  human: 'a person decided',
  initial: 'the initial configuration',
  kept: 'the configuration is kept',
  errored: 'the engineer could not answer; the configuration is kept',
} as const;

/** The types that this version of icecore records. */
export const eventTypeNames: readonly string[] = Object.keys(words);

/** The length of a line; longer ones help nobody. */
const longest = 240;

/** Anything may be recorded under the name of a type by another program, so data that are not as expected have fewer words. */
export function summaryOf({ type, data: { data, stage } }: LiveEvent): string {
  const wordsOf = (words as Readonly<Record<string, ((data: never, stage: Stage) => string) | undefined>>)[type];
  try {
    const text = wordsOf?.(data as never, typeof stage === 'number' ? stage : null) ?? shortWords(data);
    return text.slice(0, longest);
  } catch {
    return shortWords(data);
  }
}

function shortWords(data: unknown): string {
  if (typeof data !== 'object' || data === null) return String(data ?? '');
  const simple = Object.entries(data).filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value));
  return simple
    .map(([name, value]) => `${name} ${value}`)
    .join(', ')
    .slice(0, longest);
}

type Changes = EventData['ConfigAdopted']['changes'];

function changesWords(changes: Changes): string {
  if (changes.length === 0) return 'nothing changes';
  const turn = ({ knob, from, to }: Changes[number]) => `${knob} ${numberWords(from)} → ${numberWords(to)}`;
  return changes.map(turn).join(', ');
}

type Result = NonNullable<EventData['StageCompleted']['results']>[number];

function resultsWords(results: readonly Result[]): string {
  return results.map(({ measure, value }) => `${measure} ${scoreWords(value)}`).join(', ');
}

function scoreWords(value: Result['value']): string {
  if (typeof value !== 'number') return value.reason;
  return value >= 0 && value <= 1 ? percent(value) : numberWords(value);
}

function evaluationWords({
  suite,
  results,
  rollouts,
}: Pick<EventData['EvaluationRecorded'], 'suite' | 'results' | 'rollouts'>): string {
  const whole = results.filter(({ family }) => family === null);
  return `suite ${suite.name}, ${many(rollouts, 'rollout')}${after(resultsWords(whole))}`;
}

function trainingWords({ trainer, spent = {} }: Pick<EventData['TrainingRecorded'], 'trainer' | 'spent'>): string {
  return `trained${trainer === undefined ? '' : ` by ${trainer.name}`}${after(amountsWords(spent))}`;
}

function after(text: string): string {
  return text === '' ? '' : `: ${text}`;
}

function listed(...parts: readonly (string | false | undefined)[]): string {
  return parts.filter((part) => typeof part === 'string' && part !== '').join(', ');
}
