// A workspace as a value: all that icecore can do, as methods. Each loads what it needs when it is called.
import { randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Ablated, AblationPlan } from '../../schemas/ablation-output.ts';
import type {
  AdoptResult,
  ContextResult,
  ProposeResult,
  StageFinished,
  StageSpec,
} from '../../schemas/by-hand-output.ts';
import type { Compared } from '../../schemas/compare-output.ts';
import type { NewEvent } from '../../schemas/envelope.ts';
import type {
  ExportBundleResult,
  ExportEventsResult,
  ExportTablesResult,
  ImportBundleResult,
  ImportNdjsonResult,
} from '../../schemas/export-output.ts';
import type { CopyResult, VerifyReport } from '../../schemas/output.ts';
import type { Report } from '../../schemas/report-output.ts';
import type { AnnotateResult, DiffResult, RunShown, RunsResult, StageShown } from '../../schemas/run-output.ts';
import type { RunResult } from '../../schemas/run-result.ts';
import type { ProjectResult } from '../../schemas/tables-output.ts';
import type { Why } from '../../schemas/why-output.ts';
import type { WorkResult } from '../../schemas/work-result.ts';
import type { ComparisonQuery } from '../analysis/compare/compare.ts';
import type { Expectation } from '../ledger/event.ts';
import type { Appended, Delivery, SubscribeOptions } from '../ledger/ledger.ts';
import type { AblateOptions } from './ablation/ablate.ts';
import type { AblationPlanOptions } from './ablation/query.ts';
import type { AdoptOptions, adopt as adoptDecision } from './experiment/adopt.ts';
import type { AnnotateOptions } from './experiment/annotate.ts';
import type { ContextOptions } from './experiment/context.ts';
import type { ForkOptions } from './experiment/fork.ts';
import type { ProposeOptions } from './experiment/propose.ts';
import type { ResumeOptions, RunOptions } from './experiment/run.ts';
import type { StageFinishOptions, StageStartOptions } from './experiment/stage.ts';
import type { WorkerOptions } from './experiment/worker.ts';
import type { LedgerWriter } from './opening/writer.ts';
import { refuseLedger } from './place/files.ts';
import { type Plugin, registryOf } from './plugins/plugin.ts';
import { runReference, stageReference } from './reference.ts';
import type { Notice, Session } from './session.ts';
import type { SqlClient } from './sql/client.ts';
import type { SqlOptions, SqlRow } from './sql/rows.ts';
import type { RefreshOptions } from './tables.ts';
import type { ExportBundleOptions, ImportBundleOptions } from './transfer/bundle.ts';
import type { CopyOptions } from './transfer/copy.ts';
import type { EventsDestination, EventsFormat, ExportEventsOptions } from './transfer/events.ts';
import type { ImportNdjsonOptions } from './transfer/ndjson.ts';
import type { ExportTablesOptions } from './transfer/tables.ts';
import type { DiffOptions, ReportOptions, RunsOptions, ShowOptions, WhyOptions } from './understanding.ts';
import type { VerifyOptions } from './verification/verify.ts';

export interface WorkspaceOptions {
  /** Where to look for `.icecore` and settings, upward; the current folder where left out. */
  readonly cwd?: string;
  /** The URL of a ledger to use instead of the workspace's. */
  readonly ledger?: string;
  /** Variables such as `ICECORE_WORKSPACE` and keys of models; those of the process where left out. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** What you add to icecore, made by `definePlugin`. */
  readonly plugins?: readonly Plugin[];
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

/** Finds the workspace. Nothing is opened or created before a method needs it. Throws NameTaken and BadPlugin. */
export async function openWorkspace(options: WorkspaceOptions = {}): Promise<Workspace> {
  const { cwd = process.cwd(), env = process.env, signal, onNotice, ledger, plugins = [] } = options;
  return new Workspace({
    ...{ cwd, env, signal: signal ?? new AbortController().signal, registry: registryOf(plugins) },
    notify: async (notice) => onNotice?.(notice),
    ...(ledger === undefined ? {} : { ledger }),
  });
}

export class Workspace implements AsyncDisposable {
  readonly #session: Session;
  #writer: Promise<LedgerWriter> | null = null;
  #sql: Promise<SqlClient> | null = null;

  constructor(session: Session) {
    this.#session = session;
  }

  /** Runs an experiment to its end, or until a person has to decide. A run that is stopped can be resumed. */
  async run(options: RunOptions & CallOptions = {}): Promise<RunResult> {
    const { run } = await import('./experiment/run.ts');
    return await run(this.#with(options), options);
  }

  /** Resumes a run with the settings it began with. */
  async resume(name = 'latest', options: ResumeOptions & CallOptions = {}): Promise<RunResult> {
    const { resume } = await import('./experiment/run.ts');
    return await resume(this.#with(options), name, options);
  }

  /** Continues a run from a stage with another engineer, context or seed, as a run of its own. */
  async fork(reference: string, options: ForkOptions & CallOptions = {}): Promise<RunResult | StageSpec> {
    const { fork } = await import('./experiment/fork.ts');
    return await fork(this.#with(options), reference, options);
  }

  /** Begins a stage, of a new run where none has the name, and says what is to be trained elsewhere. */
  async startStage(name?: string, options: StageStartOptions & CallOptions = {}): Promise<StageSpec> {
    const { startStage } = await import('./experiment/stage.ts');
    return await startStage(this.#with(options), name, options);
  }

  /** Records a training that was done elsewhere, evaluates it, and has the next stage decided. */
  async finishStage(reference?: string, options: StageFinishOptions & CallOptions = {}): Promise<StageFinished> {
    const { finishStage } = await import('./experiment/stage.ts');
    return await finishStage(this.#with(options), reference, options);
  }

  /** Does rollouts of a run that leaves them to workers, until it has none left. */
  async work(name = 'latest', options: WorkerOptions & CallOptions = {}): Promise<WorkResult> {
    const { work } = await import('./experiment/worker.ts');
    return await work(this.#with(options), name, options);
  }

  /** What an engineer is shown after a stage. Nothing is recorded. */
  async context(reference?: string, options: ContextOptions & CallOptions = {}): Promise<ContextResult> {
    const { contextAfter } = await import('./experiment/context.ts');
    return await contextAfter(this.#with(options), reference, options);
  }

  /** Asks an engineer for a configuration, and records the answer beside the run. */
  async propose(reference?: string, options: ProposeOptions & CallOptions = {}): Promise<ProposeResult> {
    const { propose } = await import('./experiment/propose.ts');
    return await propose(this.#with(options), reference, options);
  }

  /** Decides on the configuration of the next stage. */
  async adopt(
    decision: Parameters<typeof adoptDecision>[1],
    options: AdoptOptions & CallOptions = {},
  ): Promise<AdoptResult> {
    const { adopt } = await import('./experiment/adopt.ts');
    return await adopt(this.#with(options), decision, options);
  }

  /** Adds a note to a run, a stage, a knob or an event. */
  async annotate(
    reference: string,
    note: string,
    options: AnnotateOptions & CallOptions = {},
  ): Promise<AnnotateResult> {
    const { annotate } = await import('./experiment/annotate.ts');
    return await annotate(this.#with(options), reference, note, options);
  }

  /** Replays decisions with other contexts or engineers. The same call again goes on where it was stopped. */
  async ablate(runs: readonly string[] = [], options: AblateOptions & CallOptions = {}): Promise<Ablated> {
    const { ablate } = await import('./ablation/ablate.ts');
    return await ablate(this.#with(options), runs, options);
  }

  /** What such an ablation would do, take and be able to find. Nothing is recorded. */
  async planAblation(
    runs: readonly string[] = [],
    options: AblationPlanOptions & CallOptions = {},
  ): Promise<AblationPlan> {
    const { planAblation } = await import('./ablation/ablate.ts');
    return await planAblation(this.#with(options), runs, options);
  }

  /** What an ablation found that is recorded. */
  async ablation(name = 'latest', options: CallOptions = {}): Promise<Ablated> {
    const { readAblation } = await import('./ablation/ablate.ts');
    return await readAblation(this.#with(options), name);
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

  /** Tables as Parquet, Arrow or NDJSON into a folder. */
  async exportTables(options: ExportTablesOptions & CallOptions): Promise<ExportTablesResult> {
    const { exportTables } = await import('./transfer/tables.ts');
    return await exportTables(this.#with(options), options);
  }

  /** Events into a file, a folder, or whatever takes bytes; null in that case. */
  async exportEvents(
    destination: EventsDestination,
    format: EventsFormat,
    options: ExportEventsOptions & CallOptions = {},
  ): Promise<ExportEventsResult | null> {
    const { exportEvents } = await import('./transfer/events.ts');
    return await exportEvents(this.#with(options), destination, format, options);
  }

  /** A run with all it rests on as one file. */
  async exportBundle(run = 'latest', options: ExportBundleOptions & CallOptions = {}): Promise<ExportBundleResult> {
    const { exportBundle } = await import('./transfer/bundle.ts');
    return await exportBundle(this.#with(options), run, options);
  }

  /** A run from such a file. */
  async importBundle(file: string, options: ImportBundleOptions & CallOptions = {}): Promise<ImportBundleResult> {
    const { importBundle, openForImport } = await import('./transfer/bundle.ts');
    const { createReadStream } = await import('node:fs');
    const session = this.#with(options);
    const opened = await openForImport(session);
    const path = resolve(session.cwd, file);
    refuseLedger(statSync(path), path, opened.place.ledger.files);
    const bytes = createReadStream(path, { signal: session.signal });
    return await importBundle(session, { name: file, bytes }, options, opened);
  }

  /** Runs from a file of records of any training, one JSON object a line. The same file again adds nothing. */
  async importNdjson(file: string, options: ImportNdjsonOptions & CallOptions = {}): Promise<ImportNdjsonResult> {
    const { importNdjson } = await import('./transfer/ndjson.ts');
    return await importNdjson(this.#with(options), file, options);
  }

  /** A backup or a move of a ledger, or of one run, by URLs. */
  async copy(
    places: readonly [from: string, to: string],
    options: CopyOptions & CallOptions = {},
  ): Promise<CopyResult> {
    const { copyLedger } = await import('./transfer/copy.ts');
    return await copyLedger(this.#with(options), places, options);
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
    this.#writer ??= import('./opening/writer.ts').then(({ openWriter }) =>
      openWriter(this.#session, { create: true }),
    );
    // Whoever could not open it may try again.
    const writer = await this.#writer.catch((fault: unknown) => {
      this.#writer = null;
      throw fault;
    });
    return await writer.ledger.append(stream, await this.#complete(events), { expect, signal });
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

  /** The catalogue is loaded by the first event that needs it, and not with the package. */
  async #complete(events: readonly EventToAppend[]): Promise<readonly NewEvent[]> {
    const { eventTypesWith } = await import('../../schemas/own-events.ts');
    const types = eventTypesWith(this.#session.registry.eventTypes);
    const defaults = { at: new Date().toISOString(), run: null, stage: null, causes: [] };
    return events.map((event) => ({
      ...defaults,
      ...{ id: randomUUID(), version: types.get(event.type)?.versions.length ?? 1 },
      ...event,
    }));
  }

  #with({ signal }: CallOptions): Session {
    if (signal === undefined) return this.#session;
    return { ...this.#session, signal: AbortSignal.any([this.#session.signal, signal]) };
  }

  #client(): Promise<SqlClient> {
    this.#sql ??= import('./sql/client.ts').then(({ SqlClient }) => new SqlClient(this.#session));
    return this.#sql;
  }
}
