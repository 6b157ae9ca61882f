// The verbs that explain what is recorded: runs, show, why, audit, diff, compare, report. They read the ledger and write nothing. Each
// loads only what it needs.
import type { Audit } from '../../schemas/audit-output.ts';
import { type Compared, type Passable, passable } from '../../schemas/compare-output.ts';
import { IcecoreError } from '../../schemas/errors.ts';
import { didYouMean, nearestNames } from '../../schemas/nearest.ts';
import type { Report } from '../../schemas/report-output.ts';
import type { DiffResult, RunShown, RunsResult, StageShown } from '../../schemas/run-output.ts';
import type { Why } from '../../schemas/why-output.ts';
import type { Side } from '../analysis/history/difference.ts';
import { isForPerson, runToDecide, stageToDecide } from '../analysis/history/hidden.ts';
import { notesOf } from '../analysis/history/notes.ts';
import { listRuns, type RunsListed, runShown } from '../analysis/history/runs.ts';
import { stageShown } from '../analysis/history/stages.ts';
import type { TextOf } from '../analysis/why/evidence.ts';
import type { Depth } from '../analysis/why/why.ts';
import { shellWord } from '../base/shell-word.ts';
import type { Registry } from '../lab/registry.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { type RunRead, readRun, stageOf } from '../producers/history/reading.ts';
import { blobsUrl, OpenedBlobs } from './opening/blobs.ts';
import { withFinder } from './opening/finder.ts';
import { withLedgerToAnswer } from './opening/ledger.ts';
import { type RunReference, referenceTo, type StageName, type StageReference, stageNamed } from './reference.ts';
import { runNamed } from './run-named.ts';
import type { Session } from './session.ts';
import { icecoreVersion } from './version.ts';

/** Opens the blob store for the first text in a blob, and not before; null is an erased text. */
async function withTexts<Result>(session: Session, body: (textOf: TextOf) => Promise<Result>): Promise<Result> {
  let blobs: OpenedBlobs | null = null;
  const toRead = () => {
    blobs ??= new OpenedBlobs(blobsUrl(session));
    return blobs.toRead();
  };
  try {
    return await body(async (text) => {
      if ('text' in text) return text.text;
      const { textReader } = await import('../producers/run/question.ts');
      return await textReader(toRead)(text);
    });
  } finally {
    await (blobs as OpenedBlobs | null)?.close();
  }
}

/** Which changes to explain, and in how much detail. */
export interface WhyOptions {
  /** One knob (`8.hole`), or a family (`8`) (default: all changed knobs). */
  readonly knob?: string;
  /** 1 shows knobs, 2 the evidence ids they cite, 3 their figures, 4 the rollouts behind them (default: 4 for one knob, else 2). */
  readonly detail?: Depth;
}

/** Explains a decision: the last one of a run, or the one that configured the stage. */
export async function why(session: Session, { run, stage }: RunReference, options: WhyOptions = {}): Promise<Why> {
  const { knob = null, detail = knob === null ? 2 : 4 } = options;
  const { lastDecided, whyOf } = await import('../analysis/why/why.ts');
  return await withLedgerToAnswer(session, async (ledger) => {
    const read = await readRun(ledger, await runNamed(session, ledger, run));
    return await withTexts(session, (textOf) =>
      withFinder(session, ledger, (finder) =>
        whyOf(ledger, read, stage === null ? lastDecided(read) : stageNamed(read, stage, 'decided'), {
          knob,
          depth: detail,
          textOf,
          finder,
          registry: () => registryIn(session),
          findsUncited: true,
        }),
      ),
    );
  });
}

/** All changes of a run, or of one decision, with their reasons and effects. */
export async function audit(session: Session, { run, stage }: RunReference): Promise<Audit> {
  const { auditOf } = await import('../analysis/why/audit.ts');
  return await withLedgerToAnswer(session, async (ledger) => {
    const read = await readRun(ledger, await runNamed(session, ledger, run));
    const named = stage === null ? null : stageNamed(read, stage, 'decided');
    return await withTexts(session, (textOf) =>
      withFinder(session, ledger, (finder) =>
        auditOf(ledger, read, { at: new Date().toISOString(), stage: named, textOf, finder }),
      ),
    );
  });
}

/** What to show of a run or a stage. */
export interface ShowOptions {
  /** Include what a person should not see before deciding: results on benchmarks. */
  readonly all?: boolean;
}

/** A run or a stage, and the number of hidden benchmark results. */
export type RunOrStage = { readonly hidden: number } & ({ readonly run: RunShown } | { readonly stage: StageShown });

export async function showRunOrStage(
  session: Session,
  reference: RunReference,
  { all = false }: ShowOptions = {},
): Promise<RunOrStage> {
  return await withLedgerToAnswer(session, async (ledger) => {
    const read = await readRun(ledger, await runNamed(session, ledger, reference.run));
    const isOpen = all || !isForPerson(read);
    if (reference.stage === null) {
      const whole = await runShown(ledger, read);
      return { run: isOpen ? whole : runToDecide(whole), hidden: isOpen ? 0 : whole.benchmarks.length };
    }
    const history = stageOf(read, stageNamed(read, reference.stage, 'begun'));
    const whole = { ledger: ledger.url, ...stageShown(read, history, await notesOf(ledger, read.run)) };
    const stage = isOpen ? whole : stageToDecide(whole);
    return { stage, hidden: whole.evaluations.length - stage.evaluations.length };
  });
}

/** Which runs to list. */
export interface RunsOptions {
  readonly tag?: string;
  readonly environment?: string;
  /** Maximum number of runs, newest first (default 20). */
  readonly limit?: number;
  /** Include runs of ablation arms. */
  readonly arms?: boolean;
}

/** Runs, newest first, and those that cannot be read. */
export async function runs(
  session: Session,
  { limit = 20, arms = false, tag, environment }: RunsOptions = {},
): Promise<{ readonly result: RunsResult; readonly damaged: RunsListed['damaged'] }> {
  return await withLedgerToAnswer(session, async (ledger) => {
    const asOf = new Date().toISOString();
    const listed = await listRuns(ledger, {
      limit,
      ...(arms ? { arms } : {}),
      ...(tag === undefined ? {} : { tag }),
      ...(environment === undefined ? {} : { environment }),
    });
    requireKnown('--tag', tag, listed.tags);
    requireKnown('--environment', environment, listed.environments);
    const { total, rows, armsLeftOut, damaged } = listed;
    const result = { as_of: asOf, total, rows: [...rows], truncated: rows.length < total, armsLeftOut };
    return { result, damaged };
  });
}

/** A tag that no run has is probably a typo, which an empty list would hide. */
function requireKnown(field: string, word: string | undefined, known: readonly string[]): void {
  if (word === undefined || known.includes(word)) return;
  const near = nearestNames(word, known);
  const there = known.length === 0 ? 'No run has one.' : `Available: ${known.slice(0, 20).join(', ')}.`;
  throw new IcecoreError('not-found', `${field}: no run has "${word}"`, {
    facts: { field, found: word, known, nearest: near },
    remedy: didYouMean(near, there),
  });
}

/** What a difference shows. */
export interface DiffOptions {
  /** Also show what is equal. */
  readonly all?: boolean;
}

/** The differences between two stages; a single stage is compared with the one before it. */
export async function diff(
  session: Session,
  first: StageReference,
  second?: StageReference,
  { all = false }: DiffOptions = {},
): Promise<DiffResult> {
  const { difference, isIdentical, onlyChanged } = await import('../analysis/history/difference.ts');
  return await withLedgerToAnswer(session, async (ledger) => {
    const [from, to] = await sidesOf(session, ledger, [first, second]);
    const whole = difference(from, to);
    return { ledger: ledger.url, identical: isIdentical(whole), all, ...(all ? whole : onlyChanged(whole)) };
  });
}

async function sidesOf(
  session: Session,
  ledger: Ledger,
  [first, second]: readonly [StageReference, StageReference | undefined],
): Promise<readonly [from: Side, to: Side]> {
  const one = sideOf(await readRun(ledger, await runNamed(session, ledger, first.run)), first.stage);
  if (second === undefined) return [{ read: one.read, stage: stageBefore(first, one) }, one];
  const found = await runNamed(session, ledger, second.run);
  return [one, sideOf(found.run === one.read.run ? one.read : await readRun(ledger, found), second.stage)];
}

/** The stage has begun. Throws BeyondNext and NoSuchStage. */
function sideOf(read: RunRead, stage: StageName): Side {
  return { read, stage: stageOf(read, stageNamed(read, stage, 'begun')).stage };
}

function stageBefore({ run }: StageReference, { read, stage }: Side): number {
  if (stage > 1) return stageOf(read, stage - 1).stage;
  throw new IcecoreError('usage', `there is no stage before ${run}@1`, {
    facts: { found: `${run}@1` },
    remedy: `Name two stages: icecore diff ${shellWord(`${run}@1`)} ${shellWord(`${run}@2`)}`,
  });
}

/** Which runs to compare, on which tasks, and by which measure. */
export interface CompareOptions {
  /** Include all runs with this tag. */
  readonly tag?: string;
  /** The baseline (default: the first run). */
  readonly against?: string | RunReference;
  /** A suite, or `probe` (default: validation). */
  readonly suite?: string;
  readonly measure?: string;
  /** Settings that define the arms: `['engineer', 'context']`. */
  readonly by?: readonly string[];
  /** Compare although these differ: environment, budget, policy, trainer, errored. */
  readonly despite?: readonly string[];
  /** Treat smaller differences as equivalent. */
  readonly margin?: number;
  /** Include equal settings, and results that are hidden while a person decides. */
  readonly all?: boolean;
}

/** Compares runs and estimates the differences. */
export async function compare(
  session: Session,
  runs: readonly (string | RunReference)[],
  options: CompareOptions = {},
): Promise<Compared> {
  const { tag = null, against = null, suite = null, measure = null, margin = null, all = false } = options;
  const { by = [], despite = [] } = options;
  const { compared } = await import('../analysis/compare/compare.ts');
  const query = { tag, suite, measure, by, despite: despite.map(passableIn), margin, all };
  return await withLedgerToAnswer(session, async (ledger) => {
    const numbered = async (named: string | RunReference) => await withNumber(session, ledger, referenceTo(named));
    const [baseline, entrants] = [
      against === null ? null : await numbered(against),
      await Promise.all(runs.map(numbered)),
    ];
    return await compared(ledger, { ...query, runs: entrants, against: baseline });
  });
}

/** The events that show how many stages of a run are complete. */
const ofStages = ['RunStarted', 'StageStarted', 'StageCompleted', 'ConfigAdopted'];

async function withNumber(
  session: Session,
  ledger: Ledger,
  { run, stage }: RunReference,
): Promise<{ run: string; stage: number | null }> {
  if (stage === null) return { run, stage };
  const read = await readRun(ledger, await runNamed(session, ledger, run), (type) => ofStages.includes(type));
  return { run, stage: stageNamed(read, stage, 'begun') };
}

const otherTasks = {
  remedy: 'Different tasks cannot be paired: name a suite that both were evaluated on.',
  commandRemedy: 'Different tasks cannot be paired: --suite names a suite that both were evaluated on.',
};

function passableIn(word: string): Passable {
  const found = passable.find((one) => one === word);
  if (found !== undefined) return found;
  const near = nearestNames(word, passable);
  throw new IcecoreError('usage', `--despite: found "${word}", allowed: ${passable.join(', ')}`, {
    facts: { field: '--despite', found: word, allowed: passable, nearest: near },
    ...(word === 'suite' ? otherTasks : { remedy: '', commandRemedy: 'Separate several with commas.' }),
  });
}

/** What a report shows. */
export interface ReportOptions {
  /** As in `show`. */
  readonly all?: boolean;
}

/** Everything about a run, for a page. */
export async function report(session: Session, run: string, { all = false }: ReportOptions = {}): Promise<Report> {
  const { reportOf } = await import('../analysis/report/report.ts');
  return await withLedgerToAnswer(session, async (ledger) => {
    const read = await readRun(ledger, await runNamed(session, ledger, run));
    const at = new Date().toISOString();
    return await withTexts(session, (textOf) =>
      withFinder(session, ledger, (finder) =>
        reportOf(ledger, read, { by: icecoreVersion(), at, all, textOf, finder, registry: () => registryIn(session) }),
      ),
    );
  });
}

/** For drawing rollouts. A report executes no code that was found. */
async function registryIn({ plugins }: Session): Promise<Registry> {
  return (await plugins.current()).registry;
}
