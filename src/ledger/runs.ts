// Finds a run by its name, its id, a unique prefix of its name, at least four characters of its id, or `latest`.
import { IcecoreError } from '../../schemas/errors.ts';
import { didYouMean, nearestNames } from '../../schemas/nearest.ts';
import { parseStream, runIdPattern, streamOf } from '../../schemas/streams.ts';
import { shellWord } from '../base/shell-word.ts';
import type { Ledger, StreamEnd } from './ledger.ts';
import type { StoredEvent } from './stored.ts';

export interface RunFound {
  /** Its id, as used in stream names. */
  readonly run: string;
  readonly name: string;
}

/** Throws RunNotFound, RunAmbiguous. */
export async function findRun(ledger: Ledger, name: string): Promise<RunFound> {
  return await foundAmong(await allRuns(ledger), ledger, name);
}

/** Finds each of them, in order, in one pass through the ledger. Throws RunNotFound, RunAmbiguous. */
export async function findRuns(ledger: Ledger, names: readonly string[]): Promise<readonly RunFound[]> {
  const runs = await allRuns(ledger);
  const found: RunFound[] = [];
  for (const name of names) found.push(await foundAmong(runs, ledger, name));
  return found;
}

/** Finds a run by its id alone; null: the ledger has nothing of it. */
export async function runOf(ledger: Ledger, run: string): Promise<RunFound | null> {
  const begun = (await allRuns(ledger)).find((one) => one.run === run);
  if (begun !== undefined) return { run: begun.run, name: begun.name };
  return (await hasStreams(ledger, run)) ? { run, name: run } : null;
}

/** As tables call it: with its identity if another run has the same name. */
export async function distinctName(ledger: Ledger, { run, name }: RunFound): Promise<string> {
  const namesakes = (await allRuns(ledger)).filter((one) => one.name === name);
  return namesakes.length > 1 ? `${name}~${run}` : name;
}

const shortestIdPrefix = 4;

async function foundAmong(runs: readonly Listed[], ledger: Ledger, text: string): Promise<RunFound> {
  let found = runs.filter(({ run, name }) => run === text || name === text);
  if (text === 'latest' && found.length === 0) found = runs.filter(({ isArm }) => !isArm).slice(-1);
  // Evidence of other recorders may have no RunStarted; its full id cannot be the prefix of another one.
  if (found.length === 0 && (await hasStreams(ledger, text))) return { run: text, name: text };
  if (found.length === 0) {
    // Fewer characters of an id are more likely something else, such as the number of a stage.
    const isIdPrefix = text.length >= shortestIdPrefix;
    found = runs.filter(({ run, name }) => name.startsWith(text) || (isIdPrefix && run.startsWith(text)));
  }
  const [only] = found;
  if (only === undefined) throw stageUnnamed(text, runs) ?? new RunNotFound(text, runs, ledger.url);
  if (found.length > 1) throw runAmbiguous(text, found);
  return { run: only.run, name: only.name };
}

/** Runs of ablations are numerous, so they are found only by their full names. */
interface Listed extends RunFound {
  readonly isArm: boolean;
}

async function allRuns(ledger: Ledger): Promise<Listed[]> {
  const runs: Listed[] = [];
  for await (const events of ledger.readAll({ types: ['RunStarted'] })) {
    for (const event of events) if (event.stream.startsWith('run-')) runs.push(...runIn(event));
  }
  return runs;
}

/** An unreadable event has no name but the id, so a damaged run hides neither others nor itself. */
function runIn(event: StoredEvent): readonly Listed[] {
  try {
    const { run, data } = event.envelope;
    const { name, arm } = data as { readonly name?: string; readonly arm?: object };
    return run === null ? [] : [{ run, name: name ?? run, isArm: arm !== undefined }];
  } catch {
    const run = event.stream.slice('run-'.length);
    return [{ run, name: run, isArm: false }];
  }
}

/** A claim alone makes no run, and neither does the evidence of arms, since ablations have both. */
async function hasStreams(ledger: Ledger, run: string): Promise<boolean> {
  if (!runIdPattern.test(run)) return false;
  for await (const { stream } of streamsOfRun(ledger, run)) {
    if (stream.startsWith('work-')) continue;
    if (!stream.startsWith('evidence-')) return true;
    return !(await isAblation(ledger, run));
  }
  return false;
}

async function isAblation(ledger: Ledger, id: string): Promise<boolean> {
  const stream = streamOf.ablation(id);
  for await (const ends of ledger.streams(stream)) if (ends.some((end) => end.stream === stream)) return true;
  return false;
}

/**
 * Runs with events but without a RunStarted, as other recorders write them. `started` are the runs that have one. Evidence is
 * searched only in a ledger with a single store, since a separate evidence store would have to be read completely.
 */
export async function unstartedRuns(ledger: Ledger, started: ReadonlySet<string>): Promise<readonly string[]> {
  const prefixes = ['run-', 'notes-', ...(ledger.capabilities.totalOrder ? ['evidence-'] : [])];
  const found = new Set<string>();
  for (const prefix of prefixes) {
    for await (const ends of ledger.streams(prefix)) {
      for (const { stream } of ends) {
        const name = parseStream(stream);
        if (name !== null && 'run' in name && !started.has(name.run)) found.add(name.run);
      }
    }
  }
  for (const run of found) if (!(await hasStreams(ledger, run))) found.delete(run);
  return [...found].sort();
}

/** A prefix is not enough: `evidence-a-1-0-0-0` belongs to run `a-1`. */
function isEvidenceOf(run: string, stream: string): boolean {
  const name = stream.startsWith(`evidence-${run}-`) ? parseStream(stream) : null;
  return name?.category === 'evidence' && name.run === run;
}

export function isStreamOf(run: string, stream: string): boolean {
  return [`run-${run}`, `work-${run}`, `notes-${run}`].includes(stream) || isEvidenceOf(run, stream);
}

/** All streams of a run, except for the recorded answers its decisions cite. */
export async function* streamsOfRun(ledger: Ledger, run: string): AsyncGenerator<StreamEnd> {
  for (const prefix of [`run-${run}`, `work-${run}`, `notes-${run}`, `evidence-${run}-`]) {
    for await (const ends of ledger.streams(prefix)) {
      for (const end of ends) if (end.stream === prefix || isEvidenceOf(run, end.stream)) yield end;
    }
  }
}

/** Streams of plugin events. They belong to no run, so copies and exports of a run omit them. */
export async function ownStreams(ledger: Ledger): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const ends of ledger.streams(streamOf.x(''))) for (const { stream } of ends) found.push(stream);
  return found;
}

export class RunNotFound extends IcecoreError {
  override readonly name = 'RunNotFound';

  constructor(asked: string, runs: readonly RunFound[], url: string) {
    const names = runs.map(({ name }) => name);
    const near = nearestNames(asked, names);
    super('not-found', `there is no run "${asked}" in ${url}`, {
      facts: { asked, url, nearest: near },
      remedy: remedyFor(asked, names, near),
    });
  }
}

function remedyFor(asked: string, names: readonly string[], near: readonly string[]): string {
  if (names.length === 0) return 'There are none yet: icecore run starts one.';
  if (stageNumber.test(asked)) return `Stage ${asked} of the last run is latest@${asked}.`;
  return didYouMean(near, 'icecore runs lists them.');
}

const stageNumber = /^[1-9][0-9]{0,4}$/;

/** Null unless the text is a run, an @ and something that is no stage. */
function stageUnnamed(text: string, runs: readonly RunFound[]): IcecoreError | null {
  const [, run = '', stage = ''] = /^(.+)@([^@]*)$/.exec(text) ?? [];
  if (!runs.some((one) => one.run === run || one.name === run)) return null;
  return new IcecoreError('usage', `"${stage}" names no stage of run ${run}`, {
    facts: { found: text, run, allowed: 'RUN or RUN@K' },
    remedy: `Write ${shellWord(`${run}@2`)} for stage 2, or ${shellWord(`${run}@next`)}. Stages count from 1.`,
  });
}

function runAmbiguous(asked: string, found: readonly RunFound[]): IcecoreError {
  const shown = found.slice(0, 5).map(({ run, name }) => (run === name ? run : `${name} (${run})`));
  return new IcecoreError(
    'usage',
    `"${asked}" may be ${found.length} runs: ${shown.join(', ')}${found.length > 5 ? ', …' : ''}`,
    {
      name: 'RunAmbiguous',
      facts: { asked, found: found.slice(0, 100) },
      remedy: 'Write more of its name, or its id.',
    },
  );
}
