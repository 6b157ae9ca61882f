// Surveys all records of an imported run before anything is written, because a run starts with a description of its
// environment, which follows from the records. Decisions and measurements are kept in memory, rollouts are not.
import { createHash } from 'node:crypto';
import { canonicalJson } from '../../../schemas/canonical.ts';
import type { EventData } from '../../../schemas/catalogue.ts';
import type { Descriptor } from '../../../schemas/environment.ts';
import { fieldOf, type Issue } from '../../../schemas/errors.ts';
import { nearestNames, suggestion } from '../../../schemas/nearest.ts';
import { getOrCreate } from '../../base/get-or-create.ts';
import { runIdFrom } from '../../ledger/identity/ids.ts';
import type { ConfigurationRecord, ImportRecord, MeasurementRecord, RolloutRecord } from './records.ts';

type Rollout = EventData['RolloutRecorded'];

interface Configured {
  readonly line: number;
  readonly record: ConfigurationRecord;
}

export interface StageSurvey {
  readonly stage: number;
  /** The line of its first record. */
  readonly line: number;
  configured: Configured | null;
  /** By suite, family and measure. */
  readonly measured: Map<string, { readonly line: number; readonly record: MeasurementRecord }>;
  rollouts: number;
  /** The number with a recorded success. */
  judged: number;
  successes: number;
  /** Times in the records, as written. */
  first: string | null;
  last: string | null;
}

/** A line and its issue. */
export interface FaultOfRun {
  readonly line: number;
  readonly issue: Issue;
}

interface SeenKnob {
  readonly line: number;
  readonly path: readonly [string] | readonly [family: string, knob: string];
  min: number;
  max: number;
  decimals: number;
}

/** A larger number of different values is not a set of classes. */
const mostWords = 1000;

/** The survey of one run's records. */
export class RunSurvey {
  readonly name: string;
  readonly run: string;
  readonly #stages = new Map<number, StageSurvey>();
  readonly #families = new Set<string>();
  readonly #outcomes = new Set<string>();
  readonly #failures = new Set<string>();
  readonly #metrics = new Set<string>();
  readonly #policies = new Set<string>();
  readonly #knobs = new Map<string, SeenKnob>();
  readonly #digest = createHash('sha256');

  constructor(name: string) {
    this.name = name;
    this.run = runIdFrom(['ndjson', name]);
  }

  /** Contradictions to earlier records; empty if the record was counted. */
  add(record: ImportRecord, line: number): Issue[] {
    const stage = getOrCreate(this.#stages, record.data.stage, () => newStage(record.data.stage, line));
    const issues = this.#counted(stage, record, line);
    if (issues.length > 0) return issues;
    this.#digest.update(`${record.kind} ${canonicalJson(record.data)}\n`);
    const { at } = record.data;
    if (at === undefined) return [];
    if (stage.first === null || Date.parse(at) < Date.parse(stage.first)) stage.first = at;
    if (stage.last === null || Date.parse(at) > Date.parse(stage.last)) stage.last = at;
    return [];
  }

  /** An issue of the records as a whole, which may come in any order; null if there is none. */
  fault(): FaultOfRun | null {
    return this.#gap() ?? this.#strayReason();
  }

  #gap(): FaultOfRun | null {
    const stages = this.stages;
    const at = stages.findIndex(({ stage }, i) => stage !== i + 1);
    const after = stages[at];
    if (after === undefined) return null;
    const before = at === 0 ? '' : `, after stage ${at}`;
    const allowed = `records of stage ${at + 1} too: the stages of a run count from 1 without gaps`;
    return { line: after.line, issue: { field: 'stage', found: `${after.stage}${before}`, allowed } };
  }

  /** A reason for a knob that is not set in its stage. */
  #strayReason(): FaultOfRun | null {
    const set = new Set<string>();
    for (const { configured } of this.stages) {
      if (configured === null) continue;
      const { line, record } = configured;
      for (const { name } of settingsIn(record.config)) set.add(name);
      const stray = Object.keys(record.reasons ?? {}).find((knob) => !set.has(knob));
      if (stray === undefined) continue;
      const near = nearestNames(stray, set);
      const allowed = near.length > 0 ? suggestion(near) : [...set].slice(0, 12).join(', ');
      return { line, issue: { field: fieldOf(['reasons', stray]), found: 'a knob that is not set', allowed } };
    }
    return null;
  }

  get stages(): readonly StageSurvey[] {
    return [...this.#stages.values()].sort((one, other) => one.stage - other.stage);
  }

  /** Of all its records in order. */
  get digest(): string {
    return this.#digest.copy().digest('hex');
  }

  get policy(): string | null {
    const [policy, other] = this.#policies;
    return other === undefined ? (policy ?? null) : null;
  }

  /** The engineer, if it was always the same. */
  get engineer(): string | null {
    const deciding = this.stages.flatMap(({ stage, configured }) =>
      configured === null || stage === 1 ? [] : [deciderOf(configured.record)],
    );
    const [one, other] = new Set(deciding);
    return other === undefined ? (one ?? null) : null;
  }

  descriptor(environment: string): Descriptor {
    const listed = (words: ReadonlySet<string>): string[] => [...words].sort();
    const knobs = Array.from(this.#knobs, ([name, { path, min, max, decimals }]) => ({
      name,
      path: [...path],
      meaning: `a setting of ${environment}`,
      family: path.length === 2 ? path[0] : null,
      range: { min, max },
      step: Number(`1e-${decimals}`) || Number.MIN_VALUE,
    }));
    return {
      environment,
      meaning: 'an environment known only from these records',
      knobs,
      families: listed(this.#families).map((family) => ({ family })),
      outcomes: listed(this.#outcomes).map((outcome) => ({ outcome, meaning: 'an outcome of a rollout' })),
      failureClasses: listed(this.#failures).map((failure) => ({ class: failure, meaning: 'a failure class' })),
      metrics: listed(this.#metrics).map((metric) => ({ metric, meaning: 'a metric of a rollout' })),
      failed: { all: [{ field: ['success'], equals: false }] },
      failureClass: { field: ['failureClass'], otherwise: 'failed' },
      family: { field: ['family'] },
    };
  }

  #counted(stage: StageSurvey, record: ImportRecord, line: number): Issue[] {
    switch (record.kind) {
      case 'rollout':
        return this.#rollout(stage, record.data);
      case 'configuration':
        return this.#configuration(stage, record.data, line);
      default:
        return this.#measurement(stage, record.data, line);
    }
  }

  #rollout(stage: StageSurvey, record: RolloutRecord): Issue[] {
    const { outcome, success, failureClass } = judgedAs(record);
    const issues = [
      ...word(this.#families, 'family', record.family),
      ...word(this.#outcomes, 'outcome', outcome),
      ...word(this.#failures, 'failure', failureClass),
      ...Object.keys(record.metrics ?? {}).flatMap((metric) => word(this.#metrics, 'metrics', metric)),
      ...word(this.#policies, 'policy', record.policy),
    ];
    if (issues.length > 0) return issues;
    stage.rollouts++;
    if (success !== undefined) stage.judged++;
    if (success === true) stage.successes++;
    return [];
  }

  #measurement(stage: StageSurvey, record: MeasurementRecord, line: number): Issue[] {
    const { suite, family = null, measure } = record;
    const key = JSON.stringify([suite, family, measure]);
    const before = stage.measured.get(key);
    if (before !== undefined) {
      const allowed = `one value per stage: line ${before.line} has one for stage ${stage.stage}`;
      return [{ field: 'measure', found: `"${measure}" a second time`, allowed }];
    }
    stage.measured.set(key, { line, record });
    return word(this.#families, 'family', record.family);
  }

  #configuration(stage: StageSurvey, record: ConfigurationRecord, line: number): Issue[] {
    if (stage.configured !== null) {
      const allowed = `one per stage: line ${stage.configured.line} has one for stage ${stage.stage}`;
      return [{ field: 'config', found: 'a second configuration', allowed }];
    }
    const issues = settingsIn(record.config).flatMap((one) => this.#knob(one, line));
    if (issues.length > 0) return issues;
    stage.configured = { line, record };
    return [];
  }

  #knob({ name, path, value }: Setting, line: number): Issue[] {
    const [first] = path;
    const other = path.length === 1 ? [...this.#knobs.values()].find(isBelow(first)) : this.#single(first);
    const known = this.#knobs.get(name);
    const clash = other ?? (known !== undefined && known.path[0] !== first ? known : undefined);
    if (clash !== undefined) {
      const allowed = `a separate place: line ${clash.line} has ${fieldOf(['config', ...clash.path])}`;
      return [{ field: fieldOf(['config', ...path]), found: String(value), allowed }];
    }
    if (path.length === 2) {
      const issues = word(this.#families, 'config', first);
      if (issues.length > 0) return issues;
    }
    const knob = known ?? { line, path, min: value, max: value, decimals: 0 };
    knob.min = Math.min(knob.min, value);
    knob.max = Math.max(knob.max, value);
    knob.decimals = Math.max(knob.decimals, decimalsOf(value));
    this.#knobs.set(name, knob);
    return [];
  }

  #single(name: string): SeenKnob | undefined {
    const known = this.#knobs.get(name);
    return known?.path.length === 1 ? known : undefined;
  }
}

const isBelow =
  (family: string) =>
  ({ path }: SeenKnob): boolean =>
    path.length === 2 && path[0] === family;

interface Setting extends Pick<SeenKnob, 'path'> {
  readonly name: string;
  readonly value: number;
}

function settingsIn(config: ConfigurationRecord['config']): Setting[] {
  return Object.entries(config).flatMap(([first, held]): Setting[] =>
    typeof held === 'number'
      ? [{ name: first, path: [first], value: held }]
      : Object.entries(held).map(([knob, value]) => ({ name: `${first}.${knob}`, path: [first, knob], value })),
  );
}

/**
 * The number of decimals a number is written with: two different numbers differ by at least one unit of the last
 * decimal.
 */
function decimalsOf(value: number): number {
  const [, fraction = '', exponent = '0'] = /^-?\d+(?:\.(\d+))?(?:e([-+]\d+))?$/.exec(String(value)) ?? [];
  return Math.max(0, fraction.length - Number(exponent));
}

function newStage(stage: number, line: number): StageSurvey {
  const counted = { rollouts: 0, judged: 0, successes: 0 };
  return { stage, line, configured: null, measured: new Map(), ...counted, first: null, last: null };
}

function word(known: Set<string>, field: string, found: string | undefined): Issue[] {
  if (found === undefined || known.has(found)) return [];
  if (known.size < mostWords) known.add(found);
  else return [{ field, found: `"${found}"`, allowed: `at most ${mostWords} different ones: ${field} is a class` }];
  return [];
}

/** How a record describes the result of a rollout, in the terms of events. */
export function judgedAs({ outcome, success, failure }: RolloutRecord): Pick<Rollout, 'success' | 'failureClass'> & {
  readonly outcome: string;
} {
  const known = success ?? (failure === undefined ? undefined : false);
  const words = known === true ? 'success' : (failure ?? 'failure');
  return {
    outcome: outcome ?? words,
    ...(known === undefined ? {} : { success: known }),
    ...(failure === undefined ? {} : { failureClass: failure }),
  };
}

/** The engineer who decided, or `human`. */
export function deciderOf({ by, engineer }: ConfigurationRecord): string {
  return by === 'human' || (by === undefined && engineer === undefined) ? 'human' : (engineer ?? 'engineer');
}
