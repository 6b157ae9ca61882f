// Queries on up-to-date tables: missing events of the ledger are added first. If another process holds the tables for
// long, the query uses them as they are and reports how far they are behind. DuckDB is loaded here only if a file must
// be opened: up-to-date tables are queried in another process.

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

/** How up to date the SQL tables of a query are. */
export interface Standing {
  /** The number of events of the ledger in the tables. */
  readonly events: number;
  /** The number of events missing, of those that existed at the start of the query. */
  readonly behind: number;
  /** Those of unknown types or versions, which are only in table `events`. */
  readonly unknown: readonly UnknownEvents[];
}

/** How a query gets up-to-date tables. */
export interface QueryOptions extends ProjectOptions {
  /** Asks another process, which keeps the tables fresh, to bring them up to date: two would wait for each other. */
  readonly elsewhere?: (() => Promise<void>) | undefined;
}

/** How long a query waits for its turn to update the tables, if older tables can answer it. */
const patience = 3000;

/** Provides queries, and closes them when `body` is done. They run in this process: for icecore's own SQL. */
export async function withQuestions<Result>(
  ledger: Ledger,
  folder: string,
  limits: Limits,
  options: QueryOptions,
  body: (questions: Questions, standing: Standing) => Promise<Result>,
): Promise<Result> {
  const provenance = new Provenance(ledger.id, options.trust);
  return await withTables(ledger, folder, options, (path, standing) => {
    const filled = filledBy(options.catalogue ?? catalogueIn(folder));
    const holding = { signal: options.signal, admit: () => provenance.requireSettled(path), filled };
    return askIn(path, limits, holding, (questions) => body(questions, standing));
  });
}

/** If two versions of icecore alternate, each gets time for a query after it has rebuilt the tables. */
const mostTimesOfOthers = 5;

/** The error may come from another process. */
function isOfOthers(error: BrokenTables | AnswerCut): boolean {
  return error instanceof BrokenTables && error.facts['why'] === TablesOfOthers.why;
}

/** Provides the path of the tables, not opened by this process. Broken tables are rebuilt once. */
export async function withTables<Result>(
  ledger: Ledger,
  folder: string,
  options: QueryOptions,
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
      // A file that another process replaced is not broken; the new one may know less.
      const isReplaced = generationPath(folder, generationIn(folder)) !== path;
      // A process that was killed while writing left a state that the next attempt repairs without a rebuild.
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

/** The file to query, and how up to date it is. */
interface OpenTables {
  readonly path: string;
  readonly standing: Standing;
}

async function bringUpToDate(ledger: Ledger, folder: string, options: QueryOptions): Promise<OpenTables> {
  let head = await ledger.head();
  let recorded = await recordedIn(ledger, folder, head.cursor, options);
  if (recorded === null && options.elsewhere !== undefined && generationIn(folder) > 0) {
    await options.elsewhere();
    head = await ledger.head();
    recorded = await recordedIn(ledger, folder, head.cursor, options);
  }
  if (recorded !== null) return recorded;
  if (isSaidToKnow(folder, head.cursor)) {
    const known = await knownIn(ledger, folder, options);
    if (known?.cursor === head.cursor) return { path: known.path, standing: standingOf(known, 0) };
  }
  const fill = async (waiting: ProjectOptions): Promise<OpenTables> => {
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

/** Tables that know all of the ledger according to icecore's record of the file; null if only opening it can tell. */
async function recordedIn(
  ledger: Ledger,
  folder: string,
  cursor: Cursor,
  { trust, catalogue = catalogueIn(folder) }: ProjectOptions,
): Promise<OpenTables | null> {
  const generation = generationIn(folder);
  if (generation === 0) return null;
  const path = generationPath(folder, generation);
  const known = new Provenance(ledger.id, trust).knowledgeOf(path);
  if (known?.cursor !== cursor || known.definitions !== catalogueDigest(catalogue)) return null;
  return (await isOfHistory(ledger, known)) ? { path, standing: standingOf(known, 0) } : null;
}

/** Opening tables just to find that events are missing takes half as long as adding them. */
function isSaidToKnow(folder: string, cursor: Cursor): boolean {
  const generation = generationIn(folder);
  return generation > 0 && readHint(generationPath(folder, generation)) === cursor;
}

interface KnownTables {
  readonly path: string;
  readonly events: number;
  readonly cursor: string | null;
  readonly unknown: readonly UnknownEvents[];
}

/** Null if no tables can answer a query. */
async function knownIn(
  ledger: Ledger,
  folder: string,
  { signal, trust, catalogue }: ProjectOptions,
): Promise<KnownTables | null> {
  const generation = generationIn(folder);
  if (generation === 0) return null;
  const path = generationPath(folder, generation);
  const { lookInto } = await import('./table-state.ts');
  const found = await lookInto(ledger, path, { signal, patience, trust, catalogue });
  return found.is === 'fit' ? { path, events: found.events, cursor: found.cursor, unknown: found.unknown } : null;
}
