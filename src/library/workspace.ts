// A workspace as a value: all that icecore can do, as methods. Each loads what it needs when it is called.
import { randomUUID } from 'node:crypto';
import type { Ablated, AblationPlan } from '../../schemas/ablation-output.ts';
import type { Audit } from '../../schemas/audit-output.ts';
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
import type { EventProof, LedgerHead } from '../../schemas/head.ts';
import type { ListContexts, ListEngineers, ListEnvironments } from '../../schemas/list-output.ts';
import type {
  AppendSummary,
  BlobPut,
  CopyResult,
  DoctorReport,
  InitResult,
  RedactResult,
  SealResult,
  TrustResult,
  VerifyReport,
} from '../../schemas/output.ts';
import type { Report } from '../../schemas/report-output.ts';
import type { AnnotateResult, DiffResult, RunShown, RunsResult, StageShown } from '../../schemas/run-output.ts';
import type { RunResult } from '../../schemas/run-result.ts';
import type { ListTables, ProjectResult, TablesCopy } from '../../schemas/tables-output.ts';
import type { Why } from '../../schemas/why-output.ts';
import type { WorkResult } from '../../schemas/work-result.ts';
import type { Expectation } from '../ledger/event.ts';
import type { Appended, Delivery } from '../ledger/ledger.ts';
import type { StoredEvent } from '../ledger/stored.ts';
import type { AblateOptions } from './ablation/ablate.ts';
import type { AblationPlanOptions } from './ablation/query.ts';
import type { PutBlobOptions } from './blobs.ts';
import type { HostToTrust, RevokeOptions, TrustRequest } from './consent/trust.ts';
import type { DoctorOptions } from './doctor.ts';
import type { AppendFromOptions } from './events/append.ts';
import type { EventFound, EventOptions, EventsOptions, FollowOptions } from './events/read.ts';
import type { RedactOptions } from './events/redact.ts';
import type { AdoptOptions, adopt as adoptDecision } from './experiment/adopt.ts';
import type { AnnotateOptions } from './experiment/annotate.ts';
import type { ContextOptions } from './experiment/context.ts';
import type { ForkOptions } from './experiment/fork.ts';
import type { NamedPolicy, PoliciesOptions } from './experiment/policies.ts';
import type { ProposeOptions } from './experiment/propose.ts';
import type { ResumeOptions, RunOptions } from './experiment/run.ts';
import type { StageFinishOptions, StageStartOptions } from './experiment/stage.ts';
import type { OpenTraining, TrainingRequest } from './experiment/train.ts';
import type { WorkerOptions } from './experiment/worker.ts';
import type { LedgerWriter } from './opening/writer.ts';
import type { InitOptions } from './place/init.ts';
import type { Input } from './place/source.ts';
import { runReference, stageReference } from './reference.ts';
import type { Session } from './session.ts';
import type { SqlClient } from './sql/client.ts';
import type { SqlFileOptions, SqlOptions, SqlRow } from './sql/rows.ts';
import type { RefreshOptions } from './tables.ts';
import type { ExportBundleOptions, ImportBundleOptions } from './transfer/bundle.ts';
import type { CopyOptions } from './transfer/copy.ts';
import type { EventsDestination, EventsFormat, ExportEventsOptions } from './transfer/events.ts';
import type { ImportNdjsonOptions, ImportOptions } from './transfer/ndjson.ts';
import type { ExportTablesOptions } from './transfer/tables.ts';
import type {
  CompareOptions,
  DiffOptions,
  ReportOptions,
  RunsOptions,
  ShowOptions,
  WhyOptions,
} from './understanding.ts';
import type { HeadOptions, ProveOptions, SealOptions } from './verification/seals.ts';
import type { VerifyOptions } from './verification/verify.ts';

/**
 * An event to append. What is left out: a new id, which cannot be repeated safely; the current version of its type; the time it
 * is now; no run, no stage and no causes.
 */
export type EventToAppend = Pick<NewEvent, 'type' | 'actor' | 'data'> & Partial<NewEvent>;

/** For one call; it is stopped by the workspace's signal as well. */
export interface CallOptions {
  readonly signal?: AbortSignal;
}

/** A workspace with its ledger: all that icecore can do. Made by `openWorkspace`; close it after use. */
export class Workspace implements AsyncDisposable {
  readonly #session: Session;
  #writer: Promise<LedgerWriter> | null = null;
  #sql: Promise<SqlClient> | null = null;

  constructor(session: Session) {
    this.#session = session;
  }

  /** Creates a workspace and a ledger. What is there stays as it is. */
  async init(options: InitOptions & CallOptions = {}): Promise<InitResult> {
    const { init } = await import('./place/init.ts');
    return await init(await this.#following(options), options);
  }

  /** Checks what is installed, reachable and writable; changes and creates nothing. */
  async doctor(options: DoctorOptions & CallOptions = {}): Promise<DoctorReport> {
    const { doctor } = await import('./doctor.ts');
    return await doctor(this.#with(options), options);
  }

  /** What the settings, the workspace and the ledger, here or at a path, ask to be allowed. */
  async trustRequests(path?: string, options: CallOptions = {}): Promise<readonly TrustRequest[]> {
    const { trustRequests } = await import('./consent/trust.ts');
    return await trustRequests(this.#with(options), path);
  }

  /** Allows what was requested, or a host, on this machine and from now on. */
  async trust(wanted: readonly TrustRequest[] | HostToTrust, options: CallOptions = {}): Promise<TrustResult> {
    const { trust } = await import('./consent/trust.ts');
    return await trust(this.#with(options), wanted);
  }

  /** Everything that is allowed. */
  async trusted(): Promise<TrustResult> {
    const { trusted } = await import('./consent/trust.ts');
    return trusted(this.#session);
  }

  /** Allows it no longer. */
  async revokeTrust(options: RevokeOptions = {}): Promise<TrustResult> {
    const { revokeTrust } = await import('./consent/trust.ts');
    return revokeTrust(this.#session, options);
  }

  /** The engineers that can be named: built in, of plugins, and models of the settings. */
  async engineers(options: CallOptions = {}): Promise<ListEngineers> {
    const { engineers } = await import('./list.ts');
    return await engineers(this.#with(options));
  }

  /** The forms and modules that an engineer can be shown. */
  async contexts(): Promise<ListContexts> {
    const { contexts } = await import('./list.ts');
    return await contexts(this.#session);
  }

  /** The environments of plugins, with their families, knobs and benchmarks. */
  async environments(options: CallOptions = {}): Promise<ListEnvironments> {
    const { environments } = await import('./list.ts');
    return await environments(this.#with(options));
  }

  /** The files of its ledger, where it has any: nobody else may open or replace them. */
  async ledgerFiles(): Promise<readonly string[]> {
    return (await import('./place/place.ts')).findPlace(this.#session).ledger.files;
  }

  /** Runs an experiment to its end, or until a person has to decide. A run that is stopped can be resumed. */
  async run(options: RunOptions & CallOptions = {}): Promise<RunResult> {
    const { run } = await import('./experiment/run.ts');
    return await run(await this.#following(options), options);
  }

  /** Resumes a run with the settings it began with. */
  async resume(name = 'latest', options: ResumeOptions & CallOptions = {}): Promise<RunResult> {
    const { resume } = await import('./experiment/run.ts');
    return await resume(await this.#following(options), name, options);
  }

  /** Continues a run from a stage with another engineer, context or seed, as a run of its own. */
  async fork(reference: string, options: ForkOptions & CallOptions = {}): Promise<RunResult | StageSpec> {
    const { fork } = await import('./experiment/fork.ts');
    return await fork(await this.#following(options), reference, options);
  }

  /** Begins a stage, of a new run where none has the name, and says what is to be trained elsewhere. */
  async startStage(name?: string, options: StageStartOptions & CallOptions = {}): Promise<StageSpec> {
    const { startStage } = await import('./experiment/stage.ts');
    return await startStage(await this.#following(options), name, options);
  }

  /** Records a training that was done elsewhere, evaluates it, and has the next stage decided. */
  async finishStage(reference?: string, options: StageFinishOptions & CallOptions = {}): Promise<StageFinished> {
    const { finishStage } = await import('./experiment/stage.ts');
    return await finishStage(await this.#following(options), reference, options);
  }

  /** Does rollouts of a run that leaves them to workers, until it has none left. */
  async work(name = 'latest', options: WorkerOptions & CallOptions = {}): Promise<WorkResult> {
    const { work } = await import('./experiment/worker.ts');
    return await work(await this.#following(options), name, options);
  }

  /** What an engineer is shown after a stage. Nothing is recorded. */
  async context(reference?: string, options: ContextOptions & CallOptions = {}): Promise<ContextResult> {
    const { contextFor } = await import('./experiment/context.ts');
    return await contextFor(await this.#following(options), reference, options);
  }

  /** Asks an engineer for a configuration, and records the answer beside the run. */
  async propose(reference?: string, options: ProposeOptions & CallOptions = {}): Promise<ProposeResult> {
    const { propose } = await import('./experiment/propose.ts');
    return await propose(await this.#following(options), reference, options);
  }

  /** Decides on the configuration of the next stage. */
  async adopt(
    decision: Parameters<typeof adoptDecision>[1],
    options: AdoptOptions & CallOptions = {},
  ): Promise<AdoptResult> {
    const { adopt } = await import('./experiment/adopt.ts');
    return await adopt(await this.#following(options), decision, options);
  }

  /**
   * Opens policies by their names, for as long as the body takes: rules, checkpoints, and models, whose answers are recorded before they
   * are judged. Throws what is wrong with any of them before the body is called.
   */
  async withPolicies<Result>(
    names: readonly string[],
    options: PoliciesOptions & CallOptions,
    body: (policies: readonly NamedPolicy[]) => Promise<Result>,
  ): Promise<Result> {
    const { withPolicies } = await import('./experiment/policies.ts');
    return await withPolicies(await this.#following(options), names, options, body);
  }

  /** A training of its own, outside of runs, in a folder. Nothing is written before its `train` is called. */
  async openTraining(request: TrainingRequest & CallOptions): Promise<OpenTraining> {
    const { openTraining } = await import('./experiment/train.ts');
    return await openTraining(await this.#following(request), request);
  }

  /** Adds a note to a run, a stage, a knob or an event. */
  async annotate(
    reference: string,
    note: string,
    options: AnnotateOptions & CallOptions = {},
  ): Promise<AnnotateResult> {
    const { annotate } = await import('./experiment/annotate.ts');
    return await annotate(await this.#following(options), reference, note, options);
  }

  /** Replays decisions with other contexts or engineers. The same call again goes on where it was stopped. */
  async ablate(runs: readonly string[] = [], options: AblateOptions & CallOptions = {}): Promise<Ablated> {
    const { ablate } = await import('./ablation/ablate.ts');
    return await ablate(await this.#following(options), runs, options);
  }

  /** What such an ablation would do, take and be able to find. Nothing is recorded. */
  async planAblation(
    runs: readonly string[] = [],
    options: AblationPlanOptions & CallOptions = {},
  ): Promise<AblationPlan> {
    const { planAblation } = await import('./ablation/ablate.ts');
    return await planAblation(await this.#following(options), runs, options);
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

  /** Every change of a run, or of one stage, with its reason, whether its citation holds, and what came of it. */
  async audit(reference = 'latest', options: CallOptions = {}): Promise<Audit> {
    const { audit } = await import('./understanding.ts');
    return await audit(this.#with(options), runReference(reference));
  }

  /** What differs between two stages; one alone is compared with the one before it. */
  async diff(first: string, second?: string, options: DiffOptions & CallOptions = {}): Promise<DiffResult> {
    const { diff } = await import('./understanding.ts');
    const [one, other] = [stageReference(first), second === undefined ? undefined : stageReference(second)];
    return await diff(this.#with(options), one, other, options);
  }

  /** Runs, or stages of them, side by side, and how much better one is than another. */
  async compare(runs: readonly string[], options: CompareOptions & CallOptions = {}): Promise<Compared> {
    const { compare } = await import('./understanding.ts');
    return await compare(this.#with(options), runs, options);
  }

  /** Everything about a run, as the page of `icecore report` shows it. */
  async report(run = 'latest', options: ReportOptions & CallOptions = {}): Promise<Report> {
    const { report } = await import('./understanding.ts');
    return await report(this.#with(options), run, options);
  }

  /** The rows that a question in SQL has, typed by a schema where one is given. The tables are brought up to date first. */
  async sql<Row = SqlRow>(sql: string, options: SqlOptions<Row> & CallOptions = {}): Promise<readonly Row[]> {
    return await this.#asking(options, (client, signal) => client.rows(sql, options, signal));
  }

  /** The same as a stream in Arrow's IPC format, for `tableFromIPC` and the like. */
  async sqlArrow(sql: string, options: CallOptions = {}): Promise<Uint8Array> {
    return await this.#asking(options, (client, signal) => client.arrow(sql, signal));
  }

  /** The same as a file: Parquet, Arrow, CSV, NDJSON, JSON, Markdown or a table of text. Returns how many rows it has. */
  async sqlFile(sql: string, file: string, options: SqlFileOptions & CallOptions): Promise<number> {
    return await this.#asking(options, (client, signal) => client.toFile(sql, file, options, signal));
  }

  /** A copy of the SQL tables, up to date, for whatever else reads DuckDB files. The next copy takes its place. */
  async copyTables(options: CallOptions = {}): Promise<TablesCopy> {
    const { copyTables } = await import('./tables.ts');
    return await copyTables(this.#with(options));
  }

  /** The SQL tables with what their columns mean, or one of them. */
  async tables(name?: string): Promise<ListTables> {
    const { tables } = await import('./tables.ts');
    return await tables(this.#session, name);
  }

  /** Keeps the SQL tables up to date until it is stopped; says each time what was added. */
  async *keepFresh(options: RefreshOptions & CallOptions = {}): AsyncGenerator<ProjectResult, void, undefined> {
    const { keepFresh } = await import('./tables.ts');
    yield* keepFresh(this.#with(options), options);
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
  async importBundle(input: Input, options: ImportBundleOptions & CallOptions = {}): Promise<ImportBundleResult> {
    const { importBundle } = await import('./transfer/bundle.ts');
    return await importBundle(await this.#following(options), input, options);
  }

  /** Runs from a file, by an importer of a plugin. The same file again adds nothing. */
  async import(importer: string, file: string, options: ImportOptions & CallOptions = {}): Promise<ImportNdjsonResult> {
    const { importBy } = await import('./transfer/ndjson.ts');
    return await importBy(await this.#following(options), importer, file, options);
  }

  /** Runs from a file of records of any training, one JSON object a line. The same file again adds nothing. */
  async importNdjson(file: string, options: ImportNdjsonOptions & CallOptions = {}): Promise<ImportNdjsonResult> {
    const { importNdjson } = await import('./transfer/ndjson.ts');
    return await importNdjson(await this.#following(options), file, options);
  }

  /** A backup or a move of a ledger, or of one run, by URLs. */
  async copy(
    places: readonly [from: string, to: string],
    options: CopyOptions & CallOptions = {},
  ): Promise<CopyResult> {
    const { copyLedger } = await import('./transfer/copy.ts');
    return await copyLedger(await this.#following(options), places, options);
  }

  /** Checks that the ledger holds exactly what was written to it. */
  async verify(options: VerifyOptions & CallOptions = {}): Promise<VerifyReport> {
    const { verify } = await import('./verification/verify.ts');
    return await verify(options.recompute === true ? await this.#following(options) : this.#with(options), options);
  }

  /** Records which attempts of a stage (`mine@2`) count, with a root over the evidence of each. */
  async seal(stage: string, options: SealOptions & CallOptions = {}): Promise<SealResult> {
    const { seal } = await import('./verification/seals.ts');
    return await seal(await this.#following(options), stageReference(stage), options);
  }

  /** The digest of the whole ledger, to be kept where nobody can write who can write to the ledger. */
  async head(options: HeadOptions & CallOptions = {}): Promise<LedgerHead> {
    const { head } = await import('./verification/seals.ts');
    return await head(this.#with(options), options);
  }

  /** A proof that an event is in the ledger, which anybody can check with SHA-256 alone. */
  async prove(event: string, options: ProveOptions & CallOptions = {}): Promise<EventProof> {
    const { prove } = await import('./verification/seals.ts');
    return await prove(this.#with(options), event, options);
  }

  /** Erases texts of events that are kept as blobs, and records that they were erased. */
  async redact(events: readonly string[], options: RedactOptions & CallOptions): Promise<RedactResult> {
    const { redact } = await import('./events/redact.ts');
    return await redact(await this.#following(options), events, options);
  }

  /** Stores a file or a stream of bytes, for events to name by its digest. What was redacted is not stored again. */
  async putBlob(input: Input, options: PutBlobOptions & CallOptions = {}): Promise<BlobPut> {
    const { putBlob } = await import('./blobs.ts');
    return await putBlob(await this.#following(options), input, options);
  }

  /** The bytes of a blob. */
  async *blob(digest: string, options: CallOptions = {}): AsyncGenerator<Uint8Array, void, undefined> {
    const { blob } = await import('./blobs.ts');
    yield* blob(this.#with(options), digest);
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
    const { signal } = await this.#following(options);
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

  /**
   * Appends events from a file or a stream of NDJSON or CloudEvents, and creates the workspace where there is none. The same input
   * again adds nothing. A line that is refused is an error, or goes into the file `rejects`.
   */
  async appendFrom(input: Input, options: AppendFromOptions & CallOptions = {}): Promise<AppendSummary> {
    const { appendFrom } = await import('./events/append.ts');
    return await appendFrom(await this.#following(options), input, options);
  }

  /** Events that are recorded, in their order: those of some types or streams, after a cursor, or the last ones. */
  async *events(options: EventsOptions & CallOptions = {}): AsyncGenerator<StoredEvent, void, undefined> {
    const { events } = await import('./events/read.ts');
    for await (const batch of events(this.#with(options), options)) yield* batch;
  }

  /** One event, by its id, the beginning of one, or STREAM@REVISION; with its texts that are kept as blobs, if wanted. */
  async event(reference: string, options: EventOptions & CallOptions = {}): Promise<EventFound> {
    const { event } = await import('./events/read.ts');
    return await event(this.#with(options), reference, options);
  }

  /**
   * Events as they are recorded, those that are there first; ends when it is stopped. A store that is away meanwhile is waited for,
   * however long.
   */
  async *subscribe(options: FollowOptions & CallOptions = {}): AsyncGenerator<Delivery, void, undefined> {
    const { subscribe } = await import('./events/read.ts');
    yield* subscribe(this.#with(options), options);
  }

  /** Lets go of the ledger, the tables and every process. */
  async close(): Promise<void> {
    const [writer, sql] = [this.#writer, this.#sql];
    this.#writer = null;
    this.#sql = null;
    await Promise.all([writer?.then((one) => one.close()), sql?.then((one) => one.close())]);
  }

  /** As `close`, for `await using`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** The catalogue is loaded by the first event that needs it, and not with the package. */
  async #complete(events: readonly EventToAppend[]): Promise<readonly NewEvent[]> {
    const { eventTypesWith } = await import('../../schemas/own-events.ts');
    const types = eventTypesWith((await this.#session.plugins.atHand()).eventTypes);
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

  /** For what works or writes: the code of a settings file runs before it. */
  async #following(options: CallOptions): Promise<Session> {
    const session = this.#with(options);
    await session.plugins.followConfig();
    return session;
  }

  async #asking<Result>(
    options: CallOptions,
    body: (client: SqlClient, signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    const { signal } = this.#with(options);
    this.#sql ??= import('./sql/client.ts').then(({ SqlClient }) => new SqlClient(this.#session));
    try {
      return await body(await this.#sql, signal);
    } catch (fault) {
      // Whoever stops a call gets the reason back, wherever it was.
      throw signal.aborted ? signal.reason : fault;
    }
  }
}
