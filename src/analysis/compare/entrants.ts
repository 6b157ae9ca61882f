// The runs that are compared, found by what people call them or by their tag, each read from its decisions alone; up to where
// each is compared; and what cannot be asked of a comparison, with what could be meant.

import type { EventData } from '../../../schemas/catalogue.ts';
import { IcecoreError, UnknownName } from '../../../schemas/errors.ts';
import { didYouMean, nearestNames } from '../../../schemas/nearest.ts';
import type { RunState } from '../../../schemas/run-output.ts';
import { listNames } from '../../base/name-lists.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { findRuns, type RunFound } from '../../ledger/runs.ts';
import { type RunRead, readRun, stageOf } from '../../producers/history/reading.ts';
import type { StageHistory } from '../../producers/history/run-history.ts';
import { begunRuns, standingOf } from '../history/runs.ts';
import { settingsOf } from '../history/settings.ts';

/** RUN, or RUN@K. */
interface Reference {
  readonly run: string;
  readonly stage: number | null;
}

export interface RunsQuery {
  readonly runs: readonly Reference[];
  readonly tag: string | null;
  readonly against: Reference | null;
}

export interface Entrant {
  readonly label: string;
  readonly read: RunRead;
  /** The stage that was named. */
  readonly asked: number | null;
  readonly state: RunState;
  /** Stages that are over, as far as the one that was named. */
  readonly finished: readonly number[];
  /** The last that can be compared; null where there is none. */
  readonly last: Point | null;
  readonly settings: ReadonlyMap<string, unknown>;
}

interface Entrants {
  readonly all: readonly Entrant[];
  /** The baseline of the comparison. */
  readonly baseline: Entrant;
  /** How often one was named again. */
  readonly repeated: number;
}

/** More are compared by nobody who looks at single runs. */
const mostRuns = 100;

/** Throws RunNotFound, RunAmbiguous, NoSuchStage, NoSuchTag, TooFewRuns, TooManyRuns. */
export async function entrantsOf(ledger: Ledger, { runs, tag, against }: RunsQuery): Promise<Entrants> {
  const named = await findAll(ledger, against === null ? runs : [...runs, against]);
  const tagged = tag === null ? [] : await taggedWith(ledger, tag);
  const base = against === null ? null : (named.at(-1) ?? null);
  const all = [...(against === null ? named : named.slice(0, -1)), ...tagged, ...(base === null ? [] : [base])];
  const wanted = [...new Map(all.map((one) => [keyOf(one), one])).values()];
  if (wanted.length < 2) throw new TooFewRuns(wanted, all.length);
  if (wanted.length > mostRuns) throw new TooManyRuns(wanted.length, mostRuns);
  const entrants: Entrant[] = [];
  for (const one of wanted) entrants.push(await entrantOf(ledger, one, wanted));
  const baseline = entrants.find((_, i) => base !== null && keyOf(wanted[i] ?? base) === keyOf(base)) ?? entrants[0];
  if (baseline === undefined) throw new TooFewRuns(wanted, all.length);
  const given = runs.length + tagged.length;
  return { all: entrants, baseline, repeated: Math.max(0, given - new Set(all.slice(0, given).map(keyOf)).size) };
}

interface RunNamed extends RunFound {
  readonly stage: number | null;
}

async function findAll(ledger: Ledger, references: readonly Reference[]): Promise<readonly RunNamed[]> {
  const found = await findRuns(
    ledger,
    references.map(({ run }) => run),
  );
  return found.map((one, i) => ({ ...one, stage: references[i]?.stage ?? null }));
}

async function taggedWith(ledger: Ledger, tag: string): Promise<readonly RunNamed[]> {
  const begun = await begunRuns(ledger);
  const tagged = begun.filter(({ tags }) => tags.includes(tag));
  if (tagged.length === 0) throw new NoSuchTag(tag, [...new Set(begun.flatMap(({ tags }) => tags))]);
  return tagged.map(({ run, name }) => ({ run, name, stage: null }));
}

function keyOf({ run, stage }: RunNamed): string {
  return `${run}@${stage}`;
}

/** What there is to compare: none of the long texts that engineers are shown. */
const decisive = [
  ...['RunStarted', 'StageStarted', 'ConfigAdopted', 'TrainingRecorded', 'EvaluationRecorded', 'EvidenceSealed'],
  ...[
    'ProposalRecorded',
    'ProposalRejected',
    'ProposalErrored',
    'StageCompleted',
    'RunCompleted',
    'RunFailed',
    'RunTakenOver',
  ],
];

async function entrantOf(ledger: Ledger, wanted: RunNamed, among: readonly RunNamed[]): Promise<Entrant> {
  const read = await readRun(ledger, wanted, (type) => decisive.includes(type));
  const { stage: asked } = wanted;
  if (asked !== null) stageOf(read, asked);
  const { state } = await standingOf(ledger, read);
  const finished = finishedStages(read, state).filter((stage) => asked === null || stage <= asked);
  const outside = asked === null && read.outside.length > 0 ? 'outside' : null;
  const last = asked === null ? (finished.at(-1) ?? outside) : (finished.find((one) => one === asked) ?? null);
  return { label: labelOf(wanted, among), read, asked, state, finished, last, settings: settingsIn(read) };
}

function labelOf({ run, name, stage }: RunNamed, among: readonly RunNamed[]): string {
  const isAmbiguous = among.some((one) => one.name === name && one.run !== run);
  return `${isAmbiguous ? `${name} (${run})` : name}${stage === null ? '' : `@${stage}`}`;
}

/** What a form is made of follows from what it is called by. */
function settingsIn(read: RunRead): ReadonlyMap<string, unknown> {
  const settings = settingsOf(read);
  if (!settings.has('context')) return settings;
  return new Map([...settings].filter(([setting]) => !setting.startsWith('form.')));
}

export type Evaluation = EventData['EvaluationRecorded'];

export type Point = number | 'outside';

/** In their order. What others record need not say that a stage is over. */
function finishedStages(read: RunRead, state: RunState): readonly number[] {
  const stages = read.stages.toSorted((a, b) => a.stage - b.stage);
  const last = stages.at(-1);
  const isOver = (one: StageHistory): boolean =>
    one.completed !== null ||
    one !== last ||
    read.completed !== null ||
    (state === 'recorded' && one.evaluations.length > 0);
  return stages.filter(isOver).map(({ stage }) => stage);
}

export function stageAt({ stages }: RunRead, point: Point): StageHistory | null {
  return stages.find(({ stage }) => stage === point) ?? null;
}

export function evaluationsAt(read: RunRead, point: Point): readonly Evaluation[] {
  const recorded = point === 'outside' ? read.outside : (stageAt(read, point)?.evaluations ?? []);
  return recorded.map(({ data }) => data);
}

/** As far as the point, in their order. */
export function stagesUntil({ stages }: RunRead, point: Point): readonly StageHistory[] {
  if (point === 'outside') return [];
  return stages.filter(({ stage }) => stage <= point).toSorted((a, b) => a.stage - b.stage);
}

/** Stages as far as the point whose configuration stayed because their engineer could not answer. */
export function erroredUntil(read: RunRead, point: Point): readonly number[] {
  return stagesUntil(read, point).flatMap(({ stage }) =>
    read.adoptions.get(stage)?.data.by === 'errored' ? [stage] : [],
  );
}

/** How many stages two runs have in common from the first on, where one is a fork of the other or both are of a third. */
export function sharedStages(one: RunRead, other: RunRead): number {
  const theirs = new Map(other.stages.map(({ stage, started }) => [stage, started.id]));
  const stages = one.stages.toSorted((a, b) => a.stage - b.stage);
  const apart = stages.findIndex(({ stage, started }) => theirs.get(stage) !== started.id);
  return apart < 0 ? stages.length : apart;
}

class TooFewRuns extends IcecoreError {
  override readonly name = 'TooFewRuns';

  constructor(runs: readonly RunFound[], named: number) {
    const [only] = runs;
    const found = only === undefined ? 'none' : only.name;
    const often = named > 1 ? `, ${named} times; a run does not differ from itself` : '';
    super('usage', `a comparison takes two runs or more: found ${found}${often}`, {
      facts: { found: runs.map(({ run }) => run), named },
      ...(only === undefined
        ? { commandRemedy: 'Name runs, or all of a tag with --tag: icecore runs lists them.' }
        : {}),
      remedy:
        only === undefined
          ? 'Name runs, or a tag for all that have it: icecore runs lists them.'
          : 'Name another one; icecore runs lists them, and icecore diff compares two stages of one run.',
    });
  }
}

class TooManyRuns extends IcecoreError {
  override readonly name = 'TooManyRuns';

  constructor(found: number, most: number) {
    super('usage', `a comparison takes at most ${most} runs: found ${found}`, {
      facts: { found, allowed: most },
      remedy: 'Name fewer of them, or ask the tables: icecore sql, docs/sql.md.',
    });
  }
}

class NoSuchTag extends IcecoreError {
  override readonly name = 'NoSuchTag';

  constructor(tag: string, known: readonly string[]) {
    const near = nearestNames(tag, known);
    super('not-found', `--tag: no run has "${tag}"`, {
      facts: { field: '--tag', found: tag, known, nearest: near },
      remedy: perhaps(near, known, 'No run has any.'),
    });
  }
}

/** A suite, a measure or a setting that none of the runs has. */
export class NotAmongRuns extends UnknownName {
  override readonly name = 'NotAmongRuns';

  constructor(field: string, asked: string, known: readonly string[]) {
    const near = nearestNames(asked, known);
    super(asked, `${field}: none of these runs has "${asked}"`, {
      facts: { field, found: asked, known, nearest: near },
      remedy: perhaps(near, known, 'Nothing of the kind is recorded of them.'),
    });
  }
}

/** An arm in which two runs of one seed differ in their settings: what would their mean be of? */
export class SeedTwice extends IcecoreError {
  override readonly name = 'SeedTwice';

  constructor(arm: string, seed: string, runs: readonly string[], settings: readonly string[]) {
    super('conflict', `${runs.join(' and ')} are in one arm, ${arm}, with the same seed ${seed}`, {
      facts: { arm, seed, runs, differ: settings },
      remedy: `They differ in ${listNames(settings)}: add that to the settings that define the arms, or leave one of the runs out.`,
      commandRemedy: `They differ in ${listNames(settings)}: add that to --by, or leave one of them out.`,
    });
  }
}

function perhaps(near: readonly string[], known: readonly string[], otherwise: string): string {
  return didYouMean(near, known.length === 0 ? otherwise : `There are ${listNames(known)}.`);
}
