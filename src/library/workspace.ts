// A workspace as a value: all that icecore can do, as methods. Each loads what it needs when it is called.
import { randomUUID } from 'node:crypto';
import type { Compared } from '../../schemas/compare-output.ts';
import type { NewEvent } from '../../schemas/envelope.ts';
import type { EventType } from '../../schemas/family.ts';
import type { VerifyReport } from '../../schemas/output.ts';
import { eventTypesWith } from '../../schemas/own-events.ts';
import type { Report } from '../../schemas/report-output.ts';
import type { DiffResult, RunShown, RunsResult, StageShown } from '../../schemas/run-output.ts';
import type { ProjectResult } from '../../schemas/tables-output.ts';
import type { Why } from '../../schemas/why-output.ts';
import type { ComparisonQuery } from '../analysis/compare/compare.ts';
import type { Expectation } from '../ledger/event.ts';
import type { Appended, Delivery, SubscribeOptions } from '../ledger/ledger.ts';
import type { LedgerWriter } from './opening/writer.ts';
import { runReference, stageReference } from './reference.ts';
import type { Notice, Session } from './session.ts';
import type { SqlClient, SqlOptions, SqlRow } from './sql/client.ts';
import type { RefreshOptions } from './tables.ts';
import type { DiffOptions, ReportOptions, RunsOptions, ShowOptions, WhyOptions } from './understanding.ts';
import type { VerifyOptions } from './verification/verify.ts';

export interface WorkspaceOptions {
  /** Where to look for `.icecore` and settings, upward; the current folder where left out. */
  readonly cwd?: string;
  /** The URL of a ledger to use instead of the workspace's. */
  readonly ledger?: string;
  /** Variables such as `ICECORE_WORKSPACE` and keys of models; those of the process where left out. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Event types of your own, made by `defineEvent`. */
  readonly eventTypes?: readonly EventType[];
  /** Stops whatever goes on; a run that is stopped can be resumed. */
  readonly signal?: AbortSignal;
  /** What happens meanwhile: waiting for a store, progress, events that are not known. */
  readonly onNotice?: (notice: Notice) => void;
}

/**
 * An event to append. What is left out: a new id, which cannot be repeated safely; the current version of its type; the time it
 * is now; no run, no stage and no causes.
 */
export type EventToAppend = Pick<NewEvent, 'type' | 'actor' | 'data'> & Partial<NewEvent>;

/** For one call; it is stopped by the workspace's signal as well. */
export interface CallOptions {
  readonly signal?: AbortSignal;
}

type RunsCompared = Partial<Omit<ComparisonQuery, 'runs' | 'against'>> & { readonly against?: string };

/** Finds the workspace. Nothing is opened or created before a method needs it. */
export async function openWorkspace(options: WorkspaceOptions = {}): Promise<Workspace> {
  const { cwd = process.cwd(), env = process.env, signal, onNotice, ledger, eventTypes } = options;
  return new Workspace({
    ...{ cwd, env, signal: signal ?? new AbortController().signal },
    notify: async (notice) => onNotice?.(notice),
    ...(ledger === undefined ? {} : { ledger }),
    ...(eventTypes === undefined ? {} : { eventTypes }),
  });
}

export class Workspace implements AsyncDisposable {
  readonly #session: Session;
  #writer: Promise<LedgerWriter> | null = null;
  #sql: Promise<SqlClient> | null = null;

  constructor(session: Session) {
    this.#session = session;
  }

  /** A run with its stages, or one stage in full (`mine@2`). */
  async show(reference = 'latest', options: ShowOptions & CallOptions = {}): Promise<RunShown | StageShown> {
    const { showRunOrStage } = await import('./understanding.ts');
    const found = await showRunOrStage(this.#with(options), runReference(reference), options);
    return 'run' in found ? found.run : found.stage;
  }

  /** Runs, the newest first. */
  async runs(options: RunsOptions & CallOptions = {}): Promise<RunsResult> {
    const { runs } = await import('./understanding.ts');
    return (await runs(this.#with(options), options)).result;
  }

  /** Why a stage was configured as it was: from each changed knob down to rollouts, and on to what the change did. */
  async why(reference = 'latest', options: WhyOptions & CallOptions = {}): Promise<Why> {
    const { why } = await import('./understanding.ts');
    return await why(this.#with(options), runReference(reference), options);
  }

  /** What differs between two stages; one alone is compared with the one before it. */
  async diff(first: string, second?: string, options: DiffOptions & CallOptions = {}): Promise<DiffResult> {
    const { diff } = await import('./understanding.ts');
    const [one, other] = [stageReference(first), second === undefined ? undefined : stageReference(second)];
    return await diff(this.#with(options), one, other, options);
  }

  /** Runs, or stages of them, side by side, and how much better one is than another. */
  async compare(runs: readonly string[], options: RunsCompared & CallOptions = {}): Promise<Compared> {
    const { compare } = await import('./understanding.ts');
    const { signal: _, against = null, ...query } = options;
    return await compare(this.#with(options), {
      ...{ tag: null, suite: null, measure: null, by: [], despite: [], margin: null, all: false },
      ...query,
      runs: runs.map(runReference),
      against: against === null ? null : runReference(against),
    });
  }

  /** Everything about a run, as the page of `icecore report` shows it. */
  async report(run = 'latest', options: ReportOptions & CallOptions = {}): Promise<Report> {
    const { report } = await import('./understanding.ts');
    return await report(this.#with(options), run, options);
  }

  /** The rows that a question in SQL has, typed by a schema where one is given. The tables are brought up to date first. */
  async sql<Row = SqlRow>(sql: string, options: SqlOptions<Row> & CallOptions = {}): Promise<readonly Row[]> {
    return await (await this.#client()).rows(sql, options, this.#with(options).signal);
  }

  /** The same as a stream in Arrow's IPC format, for `tableFromIPC` and the like. */
  async sqlArrow(sql: string, options: CallOptions = {}): Promise<Uint8Array> {
    return await (await this.#client()).arrow(sql, this.#with(options).signal);
  }

  /** Brings the SQL tables up to date, as every question does by itself. */
  async refresh(options: RefreshOptions & CallOptions = {}): Promise<ProjectResult> {
    const { refresh } = await import('./tables.ts');
    return await refresh(this.#with(options), options);
  }

  /** Checks that the ledger holds exactly what was written to it. */
  async verify(options: VerifyOptions & CallOptions = {}): Promise<VerifyReport> {
    const { verify } = await import('./verification/verify.ts');
    return await verify(this.#with(options), options);
  }

  /**
   * Appends events to one stream, all or none. Creates the workspace where there is none. The same id again is a success where the
   * events agree; a stream that has gone on meanwhile is WrongRevision.
   */
  async append(
    stream: string,
    events: readonly EventToAppend[],
    options: { readonly expect?: Expectation } & CallOptions = {},
  ): Promise<Appended> {
    const { expect = 'any' } = options;
    const { signal } = this.#with(options);
    this.#writer ??= import('./opening/writer.ts').then(({ openWriter }) => openWriter(this.#session));
    // Whoever could not open it may try again.
    const writer = await this.#writer.catch((fault: unknown) => {
      this.#writer = null;
      throw fault;
    });
    return await writer.ledger.append(stream, events.map(this.#whole), { expect, signal });
  }

  /** Events as they are recorded, those that are there first; ends when it is stopped. */
  async *subscribe(options: SubscribeOptions = {}): AsyncGenerator<Delivery, void, undefined> {
    const { openToRead } = await import('./opening/ledger.ts');
    const session = this.#with(options);
    const ledger = await openToRead(session);
    try {
      yield* ledger.subscribe({ ...options, signal: session.signal });
    } finally {
      await ledger.close();
    }
  }

  /** Lets go of the ledger, the tables and every process. */
  async close(): Promise<void> {
    const [writer, sql] = [this.#writer, this.#sql];
    this.#writer = null;
    this.#sql = null;
    await Promise.all([writer?.then((one) => one.close()), sql?.then((one) => one.close())]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  readonly #whole = (event: EventToAppend): NewEvent => {
    const version = eventTypesWith(this.#session.eventTypes).get(event.type)?.versions.length ?? 1;
    const defaults = { id: randomUUID(), version, at: new Date().toISOString(), run: null, stage: null, causes: [] };
    return { ...defaults, ...event };
  };

  #with({ signal }: CallOptions): Session {
    if (signal === undefined) return this.#session;
    return { ...this.#session, signal: AbortSignal.any([this.#session.signal, signal]) };
  }

  #client(): Promise<SqlClient> {
    this.#sql ??= import('./sql/client.ts').then(({ SqlClient }) => new SqlClient(this.#session));
    return this.#sql;
  }
}
