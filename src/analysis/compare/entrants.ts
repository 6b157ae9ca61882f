// The runs that are compared: found by what people call them or by their tag, each read from its decisions alone.
import type { RunState } from '../../../schemas/run-output.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { findRuns, type RunFound } from '../../ledger/runs.ts';
import { type RunRead, readRun, stageOf } from '../../producers/history/run-read.ts';
import { begunRuns } from '../history/runs.ts';
import { settingsOf } from '../history/settings.ts';
import { standingOf } from '../history/standing.ts';
import { NoSuchTag, TooFewRuns, TooManyRuns } from './errors.ts';
import { finishedStages, type Point } from './points.ts';

/** RUN, or RUN@STAGE. */
export interface Reference {
  readonly run: string;
  readonly stage: number | null;
}

export interface AskedRuns {
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
  /** The last that can be told of; null where there is none. */
  readonly last: Point | null;
  readonly settings: ReadonlyMap<string, unknown>;
}

export interface Entrants {
  readonly all: readonly Entrant[];
  /** What the others are held against. */
  readonly baseline: Entrant;
  /** How often one was named again. */
  readonly repeated: number;
}

/** More are compared by nobody who looks at single runs. */
const mostRuns = 100;

/** Throws RunNotFound, RunAmbiguous, NoSuchStage, NoSuchTag, TooFewRuns, TooManyRuns. */
export async function entrantsOf(ledger: Ledger, { runs, tag, against }: AskedRuns): Promise<Entrants> {
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

interface Wanted extends RunFound {
  readonly stage: number | null;
}

async function findAll(ledger: Ledger, references: readonly Reference[]): Promise<readonly Wanted[]> {
  const found = await findRuns(
    ledger,
    references.map(({ run }) => run),
  );
  return found.map((one, i) => ({ ...one, stage: references[i]?.stage ?? null }));
}

async function taggedWith(ledger: Ledger, tag: string): Promise<readonly Wanted[]> {
  const begun = await begunRuns(ledger);
  const tagged = begun.filter(({ tags }) => tags.includes(tag));
  if (tagged.length === 0) throw new NoSuchTag(tag, [...new Set(begun.flatMap(({ tags }) => tags))]);
  return tagged.map(({ run, name }) => ({ run, name, stage: null }));
}

function keyOf({ run, stage }: Wanted): string {
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

async function entrantOf(ledger: Ledger, wanted: Wanted, among: readonly Wanted[]): Promise<Entrant> {
  const read = await readRun(ledger, wanted, (type) => decisive.includes(type));
  const { stage: asked } = wanted;
  if (asked !== null) stageOf(read, asked);
  const { state } = await standingOf(ledger, read.history);
  const finished = finishedStages(read, state).filter((stage) => asked === null || stage <= asked);
  const outside = asked === null && read.outside.length > 0 ? 'outside' : null;
  const last = asked === null ? (finished.at(-1) ?? outside) : (finished.find((one) => one === asked) ?? null);
  return { label: labelOf(wanted, among), read, asked, state, finished, last, settings: settingsIn(read) };
}

function labelOf({ run, name, stage }: Wanted, among: readonly Wanted[]): string {
  const isAmbiguous = among.some((one) => one.name === name && one.run !== run);
  return `${isAmbiguous ? `${name} (${run})` : name}${stage === null ? '' : `@${stage}`}`;
}

/** What a form is made of follows from what it is called by. */
function settingsIn(read: RunRead): ReadonlyMap<string, unknown> {
  const settings = settingsOf(read);
  if (!settings.has('context')) return settings;
  return new Map([...settings].filter(([setting]) => !setting.startsWith('form.')));
}
