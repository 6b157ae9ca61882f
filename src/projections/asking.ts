// Questions about tables that are up to date: what the ledger has that they lack is added first. Where somebody else keeps
// the tables for long, the question is answered from what they know, and it is said how far behind that is. DuckDB is loaded
// here only where a file has to be opened: tables that are up to date are asked in another process.

import type { Cursor } from '../ledger/event.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { UnknownEvents } from '../ledger/unknown-events.ts';
import { catalogueDigest, filledBy } from './projector/layout.ts';
import type { ProjectOptions } from './projector/projector.ts';
import { isOfHistory } from './projector/source.ts';
import { AnswerCut } from './query/errors.ts';
import type { Limits, openQuestions, Questions } from './query/questions.ts';
import { catalogueIn } from './tables/own.ts';
import { BrokenTables, TablesBusy, TablesOfOthers, TablesUnwritable } from './warehouse/errors.ts';
import { generationIn, generationPath, readHint } from './warehouse/place.ts';
import { Provenance } from './warehouse/provenance.ts';

/** How far the SQL tables that a question is answered from are up to date. */
export interface Standing {
  /** How many events of the ledger the tables know. */
  readonly events: number;
  /** How many they lack of those there were when the question was asked. */
  readonly behind: number;
  /** Those of them that are of types or versions that are not known: they stand in table `events` alone. */
  readonly unknown: readonly UnknownEvents[];
}

/** How long a question waits for its turn to bring the tables up to date, where there are tables it can be answered from. */
const patience = 3000;

/** Hands over questions, and closes them when `body` is done. They run in this process: for SQL of icecore's own. */
export async function withQuestions<Result>(
  ledger: Ledger,
  folder: string,
  limits: Limits,
  options: ProjectOptions,
  body: (questions: Questions, standing: Standing) => Promise<Result>,
): Promise<Result> {
  const provenance = new Provenance(ledger.id, options.trust);
  return await withTables(ledger, folder, options, (path, standing) => {
    const filled = filledBy(options.catalogue ?? catalogueIn(folder));
    const holding = { signal: options.signal, admit: () => provenance.requireSettled(path), filled };
    return askIn(path, limits, holding, (questions) => body(questions, standing));
  });
}

/** Whoever uses two versions of icecore at once gives each the time to be asked after it has filled the tables its own way. */
const mostTimesOfOthers = 5;

/** It may have been thrown in another process. */
function isOfOthers(error: BrokenTables | AnswerCut): boolean {
  return error instanceof BrokenTables && error.facts['why'] === TablesOfOthers.why;
}

/** Hands over the path of the tables, open nowhere in this process. Those that turn out to be broken are built anew, once. */
export async function withTables<Result>(
  ledger: Ledger,
  folder: string,
  options: ProjectOptions,
  body: (path: string, standing: Standing) => Promise<Result>,
): Promise<Result> {
  const provenance = new Provenance(ledger.id, options.trust);
  let timesOfOthers = 0;
  for (let isBuiltAnew = false; ; ) {
    const { path, standing } = await bringUpToDate(ledger, folder, options);
    try {
      provenance.requireSettled(path);
      return await body(path, standing);
    } catch (error) {
      if (!(error instanceof BrokenTables || error instanceof AnswerCut)) throw error;
      // A file that somebody has replaced meanwhile is gone, and not broken; the one in its place may know less.
      const isReplaced = generationPath(folder, generationIn(folder)) !== path;
      // A process that was killed while it wrote left what the next look settles, without building anything anew.
      if (provenance.originOf(path).is === 'interrupted') continue;
      if (isOfOthers(error) && ++timesOfOthers < mostTimesOfOthers) continue;
      if (isBuiltAnew && !isReplaced) throw error;
      const { project } = await import('./projector/projector.ts');
      if (!isReplaced) await project(ledger, folder, { ...options, rebuild: true });
      if (error instanceof AnswerCut) throw error;
      isBuiltAnew ||= !isReplaced;
    }
  }
}

async function askIn<Result>(
  path: string,
  limits: Limits,
  options: Parameters<typeof openQuestions>[2],
  body: (questions: Questions) => Promise<Result>,
): Promise<Result> {
  const { openQuestions } = await import('./query/questions.ts');
  const questions = await openQuestions(path, limits, options);
  try {
    return await body(questions);
  } finally {
    await questions.close();
  }
}

/** The file that is asked, and how it stands. */
interface Asked {
  readonly path: string;
  readonly standing: Standing;
}

async function bringUpToDate(ledger: Ledger, folder: string, options: ProjectOptions): Promise<Asked> {
  const head = await ledger.head();
  const recorded = await recordedIn(ledger, folder, head.cursor, options);
  if (recorded !== null) return recorded;
  if (isSaidToKnow(folder, head.cursor)) {
    const known = await knownIn(ledger, folder, options);
    if (known?.cursor === head.cursor) return { path: known.path, standing: standingOf(known, 0) };
  }
  const fill = async (waiting: ProjectOptions): Promise<Asked> => {
    const { noteRebuild, project } = await import('./projector/projector.ts');
    const done = await project(ledger, folder, waiting);
    noteRebuild(done, options);
    return { path: done.path, standing: standingOf(done, 0) };
  };
  try {
    return await fill(generationIn(folder) === 0 ? options : { ...options, patience });
  } catch (error) {
    if (!(error instanceof TablesBusy || error instanceof TablesUnwritable)) throw error;
    const known = await knownIn(ledger, folder, options);
    if (known === null && error instanceof TablesBusy) return await fill(options);
    if (known === null) throw error;
    return { path: known.path, standing: standingOf(known, Math.max(0, head.events - known.events)) };
  }
}

function standingOf({ events, unknown }: Pick<Standing, 'events' | 'unknown'>, behind: number): Standing {
  return { events, behind, unknown };
}

/** Tables that know all of the ledger, as icecore's own record of the file says; null where only opening it can tell. */
async function recordedIn(
  ledger: Ledger,
  folder: string,
  cursor: Cursor,
  { trust, catalogue = catalogueIn(folder) }: ProjectOptions,
): Promise<Asked | null> {
  const generation = generationIn(folder);
  if (generation === 0) return null;
  const path = generationPath(folder, generation);
  const known = new Provenance(ledger.id, trust).knowledgeOf(path);
  if (known?.cursor !== cursor || known.definitions !== catalogueDigest(catalogue)) return null;
  return (await isOfHistory(ledger, known)) ? { path, standing: standingOf(known, 0) } : null;
}

/** To open tables only to see that they lack something takes as long as half of filling it in. */
function isSaidToKnow(folder: string, cursor: Cursor): boolean {
  const generation = generationIn(folder);
  return generation > 0 && readHint(generationPath(folder, generation)) === cursor;
}

interface Known {
  readonly path: string;
  readonly events: number;
  readonly cursor: string | null;
  readonly unknown: readonly UnknownEvents[];
}

/** Null where there are no tables that a question can be answered from. */
async function knownIn(
  ledger: Ledger,
  folder: string,
  { signal, trust, catalogue }: ProjectOptions,
): Promise<Known | null> {
  const generation = generationIn(folder);
  if (generation === 0) return null;
  const path = generationPath(folder, generation);
  const { lookInto } = await import('./standing.ts');
  const found = await lookInto(ledger, path, { signal, patience, trust, catalogue });
  return found.is === 'fit' ? { path, events: found.events, cursor: found.cursor, unknown: found.unknown } : null;
}
