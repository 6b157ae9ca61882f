// Converts the records of an imported run to the events of a run, as far as the records contain them. The same records
// give the same events, with ids derived from the run's name.
import { codeOf, type EventData, type NewEventOf, type TypeName, versionOf } from '../../../schemas/catalogue.ts';
import type { Cause, NewEvent } from '../../../schemas/envelope.ts';
import type { Descriptor } from '../../../schemas/environment.ts';
import { isObject } from '../../../schemas/json-text.ts';
import { type Configuration, digestOf } from '../../lab/environments/environment.ts';
import { recordedConfiguration } from '../../lab/environments/knobs.ts';
import { wilson } from '../../lab/statistics/distributions.ts';
import { eventId } from '../../ledger/identity/ids.ts';
import { idsOwner, partNamed } from '../evidence/parts.ts';
import { importActor } from '../history/decisions.ts';
import type { ConfigurationRecord, MeasurementRecord, RolloutRecord } from './records.ts';
import { deciderOf, judgedAs, type RunSurvey, type StageSurvey } from './survey.ts';

type Rollout = EventData['RolloutRecorded'];
export type Split = Rollout['split'];
type Evaluation = EventData['EvaluationRecorded'];

const splits: readonly Split[] = ['train', 'probe', 'probe-holdout', 'validation', 'test'];

/** Splits whose rollouts become an evaluation on a suite of that name. */
export function isMeasured(split: Split): boolean {
  return split !== 'train' && split !== 'probe';
}

/**
 * The part that rollouts are recorded in: those of an evaluation have their own, because the evaluation cites the whole
 * part.
 */
export function partOf(split: Split): number | string {
  return isMeasured(split) ? partNamed(split) : 0;
}

/** The current configuration and the event that adopted it. */
export interface InForce {
  readonly adopted: string;
  readonly configuration: EventData['ConfigAdopted']['configuration'];
}

/** The results of a split's rollouts in a stage, and where they are recorded. */
export interface Counted {
  readonly split: Split;
  readonly causes: readonly Cause[];
  readonly data: Omit<Evaluation, 'split' | 'suite'> & { readonly suite: Omit<Evaluation['suite'], 'name'> };
}

/** The properties that the events of a run share. */
export interface ImportedAs {
  readonly environment: string;
  /** The file as the user named it. */
  readonly file: string;
  /** The name of the reader. */
  readonly tool: string;
  /** The time of events without one. */
  readonly at: string;
}

interface Placed<Type extends TypeName> {
  readonly type: Type;
  readonly stage: number | null;
  readonly index?: number;
  readonly at: string;
  readonly causes?: readonly Cause[];
  readonly data: EventData[Type];
}

/** The events of one imported run, with ids derived from the run's name. */
export class RunEvents {
  readonly #survey: RunSurvey;
  readonly #as: ImportedAs;
  readonly descriptor: Descriptor;

  constructor(survey: RunSurvey, as: ImportedAs) {
    this.#survey = survey;
    this.#as = as;
    this.descriptor = survey.descriptor(as.environment);
  }

  started(): NewEvent {
    const { name, policy, engineer, stages, digest } = this.#survey;
    const { environment, file, tool } = this.#as;
    return this.#event({
      type: 'RunStarted',
      stage: null,
      at: stages.find(({ first }) => first !== null)?.first ?? this.#as.at,
      data: {
        name,
        environment: { name: environment },
        descriptor: this.descriptor as EventData['RunStarted']['descriptor'],
        ...(policy === null ? {} : { policy: { name: policy } }),
        ...(engineer === null ? {} : { engineer: { name: engineer } }),
        stages: stages.length,
        source: { tool, location: file, id: digest },
      },
    });
  }

  /** `place` is its index within its part, from 0. */
  rollout(record: RolloutRecord, place: number, line: number): NewEventOf<'RolloutRecorded'> {
    const { stage, family, task, split, policy = 'policy', reward, prompt, completion, seed, trainingStep } = record;
    const { answer, expected, metrics } = record;
    const { run } = this.#survey;
    const known = Object.entries(metrics ?? {}).filter((one): one is [string, number] => one[1] !== null);
    const data: Rollout = {
      environment: this.#as.environment,
      ...(task === undefined ? {} : { task: taskOf(task) }),
      split,
      ...(family === undefined ? {} : { family }),
      policy,
      ...judgedAs(record),
      ...(reward === undefined ? {} : { reward }),
      ...(prompt === undefined ? {} : { prompt: { text: prompt } }),
      ...(completion === undefined ? {} : { completion: { text: completion } }),
      ...(answer === undefined ? {} : { answer }),
      ...(expected === undefined ? {} : { expected }),
      ...(seed === undefined ? {} : { seed }),
      ...(trainingStep === undefined ? {} : { trainingStep }),
      ...(known.length === 0 ? {} : { metrics: Object.fromEntries(known) }),
      source: { tool: this.#as.tool, line },
    };
    const owner = idsOwner({ run, stage, part: partOf(split) });
    const id = eventId({ run: owner, stage, kind: codeOf('RolloutRecorded'), index: place });
    return { ...this.#event({ type: 'RolloutRecorded', stage, at: record.at ?? this.#as.at, data }), id };
  }

  /** The decision before the stage, and its start. */
  opening(stage: StageSurvey, before: InForce | null): { readonly events: NewEvent[]; readonly force: InForce | null } {
    const at = stage.configured?.record.at ?? stage.first ?? this.#as.at;
    const decided = stage.configured === null ? null : this.#decided(stage.stage, stage.configured.record, before, at);
    const force = decided?.force ?? before;
    const started = this.#event({
      type: 'StageStarted',
      stage: stage.stage,
      at: stage.first ?? at,
      causes: force === null ? [] : [{ event: force.adopted }],
      data: force === null ? { adopted: null } : { configuration: force.configuration, adopted: force.adopted },
    });
    return { events: [...(decided?.events ?? []), started], force };
  }

  #decided(stage: number, record: ConfigurationRecord, before: InForce | null, at: string) {
    const whole = mergeConfig(before?.configuration.whole ?? {}, record.config);
    const configuration = recordedConfiguration(this.descriptor, whole);
    const previous = new Map(before?.configuration.knobs.map(({ knob, value }) => [knob, value]));
    const { reasons = {}, rationale = null } = record;
    const reasonOf = (knob: string): string | null => (Object.hasOwn(reasons, knob) ? (reasons[knob] ?? null) : null);
    const isChanged = ({ knob, value }: { knob: string; value: number }): boolean => previous.get(knob) !== value;
    const isInitial = stage === 1;
    const changes = configuration.knobs.filter(isChanged).map(({ knob, family, value }) => ({
      ...{ knob, family, from: previous.get(knob) ?? null, to: value },
      ...{ cites: null, reason: reasonOf(knob) },
    }));
    const kept = configuration.knobs
      .filter((one) => !isChanged(one) && reasonOf(one.knob) !== null)
      .map(({ knob, family }) => ({ knob, family, cites: null, reason: reasonOf(knob) }));
    const said = {
      // The initial configuration changes nothing; its reasons are recorded anyway.
      changes: isInitial ? changes.filter(({ reason }) => reason !== null) : changes,
      ...{ kept: kept.length === 0 ? null : kept, clamps: [], rationale },
    };
    const decider = deciderOf(record);
    const isProposed = !isInitial && decider !== 'human';
    const data = { context: null, configuration, ...said, predictions: null, engineer: { name: decider } };
    const proposal = isProposed ? this.#event({ type: 'ProposalRecorded', stage, at, data }) : null;
    const adopted = this.#event({
      type: 'ConfigAdopted',
      stage,
      at,
      causes: proposal === null ? [] : [{ event: proposal.id }],
      data: {
        by: isInitial ? 'initial' : isProposed ? 'engineer' : 'human',
        proposal: proposal?.id ?? null,
        context: null,
        configuration,
        previous: before?.configuration.digest ?? null,
        ...said,
      },
    });
    const events = proposal === null ? [adopted] : [proposal, adopted];
    return { events, force: { adopted: adopted.id, configuration } };
  }

  /** The measurements of the stage, and its end. */
  closing(stage: StageSurvey, counted: readonly Counted[]): NewEvent[] {
    const at = stage.last ?? this.#as.at;
    const { policy } = this.#survey;
    const ofPolicy = policy === null ? {} : { policy: { name: policy } };
    const measured: { readonly causes: readonly Cause[]; readonly data: Evaluation }[] = [
      ...measuredIn(stage, counted).map((data) => ({ causes: [], data: { ...ofPolicy, ...data } })),
      ...counted.map(({ split, causes, data }) => ({
        causes,
        data: { ...ofPolicy, ...data, split, suite: { name: split, ...data.suite } },
      })),
    ];
    const evaluations = measured.map(({ causes, data }, index) =>
      this.#event({ type: 'EvaluationRecorded', stage: stage.stage, index, at, causes, data }),
    );
    const results = headlines(
      stage,
      measured.map(({ data }) => data),
    );
    const data = results.length === 0 ? {} : { results };
    return [...evaluations, this.#event({ type: 'StageCompleted', stage: stage.stage, at, data })];
  }

  completed(last: NewEventOf<'StageCompleted'>): NewEvent {
    const { results } = last.data;
    return this.#event({
      type: 'RunCompleted',
      stage: null,
      at: last.at,
      causes: [{ event: last.id }],
      data: { stages: this.#survey.stages.length, ...(results === undefined ? {} : { results }) },
    });
  }

  #event<Type extends TypeName>({ type, stage, index = 0, at, causes = [], data }: Placed<Type>): NewEventOf<Type> {
    const { run } = this.#survey;
    const id = eventId({ run, stage: stage ?? 0, kind: codeOf(type), index });
    return { id, type, version: versionOf(type), at, actor: importActor, run, stage, causes, data };
  }
}

/** By its name, or the task itself. */
function taskOf(task: NonNullable<RolloutRecord['task']>): NonNullable<Rollout['task']> {
  return typeof task === 'string' ? { id: task } : { digest: digestOf(task), inline: task };
}

/** Settings missing from a record keep their values. */
function mergeConfig(before: Configuration, config: ConfigurationRecord['config']): Configuration {
  const settings = Object.entries(config).map(([name, value]) => {
    const known = before[name];
    return [name, typeof value === 'object' && isObject(known) ? { ...known, ...value } : value] as const;
  });
  return { ...before, ...Object.fromEntries(settings) };
}

/** An evaluation for each suite with measurements, without what is counted. */
function measuredIn({ measured }: StageSurvey, counted: readonly Counted[]): Evaluation[] {
  const records = [...measured.values()].map(({ record }) => record).filter((record) => !isCounted(record, counted));
  return [...new Set(records.map(({ suite }) => suite))].map((suite) => {
    const own = records.filter((one) => one.suite === suite);
    return {
      suite: { name: suite },
      split: splits.find((split) => split === suite) ?? 'test',
      rollouts: Math.max(0, ...own.map(rolloutsOf)),
      results: own.map(resultOf),
    };
  });
}

function isCounted({ suite, family, measure }: MeasurementRecord, counted: readonly Counted[]): boolean {
  const results = counted.filter(({ split }) => split === suite).flatMap(({ data }) => data.results);
  return results.some((result) => result.measure === measure && result.family === (family ?? null));
}

/** The minimum number of rollouts behind a measurement. */
function rolloutsOf({ of, count = 0 }: MeasurementRecord): number {
  return of ?? count;
}

function resultOf(record: MeasurementRecord): Evaluation['results'][number] {
  const { run: _, stage: __, at: ___, suite: ____, family = null, ...measured } = record;
  return { family, ...measured };
}

type Headline = NonNullable<EventData['StageCompleted']['results']>[number];

/** In total over families: the validation results, otherwise the success rate of the stage's rollouts. */
function headlines({ judged, successes }: StageSurvey, evaluations: readonly Evaluation[]): Headline[] {
  const validation = evaluations.findLast(({ split }) => split === 'validation');
  const pooled = validation?.results.flatMap(({ family, ...result }) => (family === null ? [result] : [])) ?? [];
  if (pooled.length > 0 || judged === 0) return pooled;
  return [{ measure: 'valid', value: successes / judged, count: successes, of: judged, ...wilson(successes, judged) }];
}
