// A workspace as an object: everything icecore can do, as methods. Each loads what it needs when it is called.
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
import type { Headroom } from '../../schemas/headroom-output.ts';
import type { ListAblations, ListContexts, ListEngineers, ListEnvironments } from '../../schemas/list-output.ts';
import type { DecisionSent, NextDecision } from '../../schemas/next-output.ts';
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
import type { RolloutShown } from '../../schemas/rollout-output.ts';
import type { AnnotateResult, DiffResult, RunShown, RunsResult, StageShown } from '../../schemas/run-output.ts';
import type { RunResult } from '../../schemas/run-result.ts';
import type { ListTables, ProjectResult, TablesCopy } from '../../schemas/tables-output.ts';
import type { Why } from '../../schemas/why-output.ts';
import type { WorkResult } from '../../schemas/work-result.ts';
import type { Sink } from '../base/sink.ts';
import type { Cursor, CursorOrder, Expectation } from '../ledger/event.ts';
import type { Appended, Delivery } from '../ledger/ledger.ts';
import type { StoredEvent } from '../ledger/stored.ts';
import type { AblateOptions } from './ablation/ablate.ts';
import type { HeadroomOptions } from './ablation/headroom.ts';
import type { AblationPlanOptions } from './ablation/query.ts';
import type { PutBlobOptions } from './blobs.ts';
import type { HostToTrust, RevokeOptions, TrustRequest } from './consent/trust.ts';
import type { DoctorOptions } from './doctor.ts';
import type { AppendFromOptions, Intake } from './events/append.ts';
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
import type { RolloutOptions } from './rollout.ts';
import type { Session } from './session.ts';
import type { SqlClient, SqlPool } from './sql/client.ts';
import type { SqlFileOptions, SqlOptions, SqlRow, SqlWriteOptions } from './sql/rows.ts';
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
 * An event to append. Defaults: a new id, which cannot be repeated safely; the current version of its type; the current time; no run,
 * no stage and no causes.
 */
export type EventToAppend = Pick<NewEvent, 'type' | 'actor' | 'data'> & Partial<NewEvent>;

/** Options of one call, which the workspace's signal stops as well. */
export interface CallOptions {
  readonly signal?: AbortSignal;
}

/** A workspace with its ledger: everything icecore can do. Made by `openWorkspace`; close it after use. */
export class Workspace implements AsyncDisposable {
  readonly #session: Session;
  #writer: Promise<LedgerWriter> | null = null;
  #intake: Promise<Intake> | null = null;
  #sql: SqlPool | null = null;

  constructor(session: Session) {
    this.#session = session;
  }

  /** Creates a workspace and a ledger. Existing ones stay unchanged. */
  async init(options: InitOptions & CallOptions = {}): Promise<InitResult> {
    const { init } = await import('./place/init.ts');
    return await init(await this.#following(options), options);
  }

  /** Checks what is installed, reachable and writable; changes and creates nothing. */
  async doctor(options: DoctorOptions & CallOptions = {}): Promise<DoctorReport> {
    const { doctor } = await import('./doctor.ts');
    return await doctor(this.#with(options), options);
  }

  /** The requests for consent of the settings, the workspace and the ledger, here or at a path. */
  async trustRequests(path?: string, options: CallOptions = {}): Promise<readonly TrustRequest[]> {
    const { trustRequests } = await import('./consent/trust.ts');
    return await trustRequests(this.#with(options), path);
  }

  /** Allows requests, or a host, on this machine from now on. */
  async trust(wanted: readonly TrustRequest[] | HostToTrust, options: CallOptions = {}): Promise<TrustResult> {
    const { trust } = await import('./consent/trust.ts');
    return await trust(this.#with(options), wanted);
  }

  /** Everything that is allowed. */
  async trusted(): Promise<TrustResult> {
    const { trusted } = await import('./consent/trust.ts');
    return trusted(this.#session);
  }

  /** Revokes a consent. */
  async revokeTrust(options: RevokeOptions = {}): Promise<TrustResult> {
    const { revokeTrust } = await import('./consent/trust.ts');
    return revokeTrust(this.#session, options);
  }

  /** The available engineers: built-in ones, those of plugins, and models of the settings. */
  async engineers(options: CallOptions = {}): Promise<ListEngineers> {
    const { engineers } = await import('./list.ts');
    return await engineers(this.#with(options));
  }

  /** The forms and modules of contexts. */
  async contexts(): Promise<ListContexts> {
    const { contexts } = await import('./list.ts');
    return await contexts(this.#session);
  }

  /** The environments of plugins, with their families, knobs and benchmarks. */
  async environments(options: CallOptions = {}): Promise<ListEnvironments> {
    const { environments } = await import('./list.ts');
    return await environments(this.#with(options));
  }

  /** The files of its ledger, if any: no other program may open or replace them. */
  async ledgerFiles(): Promise<readonly string[]> {
    return (await import('./place/place.ts')).findPlace(this.#session).ledger.files;
  }

  /** Runs an experiment to its end, or until a person has to decide. A stopped run can be resumed. */
  async run(options: RunOptions & CallOptions = {}): Promise<RunResult> {
    const { run } = await import('./experiment/run.ts');
    return await run(await this.#following(options), options);
  }

  /** Resumes a run with its original settings. */
  async resume(name = 'latest', options: ResumeOptions & CallOptions = {}): Promise<RunResult> {
    const { resume } = await import('./experiment/run.ts');
    return await resume(await this.#following(options), name, options);
  }

  /** Continues a run from a stage as a new run, with another engineer, context or seed. */
  async fork(reference: string, options: ForkOptions & CallOptions = {}): Promise<RunResult | StageSpec> {
    const { fork } = await import('./experiment/fork.ts');
    return await fork(await this.#following(options), reference, options);
  }

  /** Starts a stage, of a new run if none has the name, and returns what to train elsewhere. */
  async startStage(name?: string, options: StageStartOptions & CallOptions = {}): Promise<StageSpec> {
    const { startStage } = await import('./experiment/stage.ts');
    return await startStage(await this.#following(options), name, options);
  }

  /** Records a training that happened elsewhere, evaluates it, and decides the next stage. */
  async finishStage(reference?: string, options: StageFinishOptions & CallOptions = {}): Promise<StageFinished> {
    const { finishStage } = await import('./experiment/stage.ts');
    return await finishStage(await this.#following(options), reference, options);
  }

  /** Does rollouts of a run that leaves them to workers, until none are left. */
  async work(name = 'latest', options: WorkerOptions & CallOptions = {}): Promise<WorkResult> {
    const { work } = await import('./experiment/worker.ts');
    return await work(await this.#following(options), name, options);
  }

  /** What an engineer is shown for a decision: `mine@3`, or `mine` for the next one. Records nothing. */
  async context(reference?: string, options: ContextOptions & CallOptions = {}): Promise<ContextResult> {
    const { contextFor } = await import('./experiment/context.ts');
    return await contextFor(await this.#following(options), reference, options);
  }

  /** Asks an engineer for the configuration of a stage (`mine@3`, by default the next) and records the answer beside the run. */
  async propose(reference?: string, options: ProposeOptions & CallOptions = {}): Promise<ProposeResult> {
    const { propose } = await import('./experiment/propose.ts');
    return await propose(await this.#following(options), reference, options);
  }

  /** What a person needs to decide the next configuration: the knobs, the proposals, and what can be cited. Records nothing. */
  async nextDecision(run?: string, options: CallOptions = {}): Promise<NextDecision> {
    const { nextDecision } = await import('./experiment/next.ts');
    return await nextDecision(this.#with(options), run);
  }

  /** Decides the configuration of the next stage by what changes in it; otherwise the same as `adopt`. */
  async decide(run: string, decision: DecisionSent, options: CallOptions = {}): Promise<AdoptResult> {
    const { decide } = await import('./experiment/next.ts');
    return await decide(await this.#following(options), run, decision);
  }

  /** Decides the configuration of the next stage. */
  async adopt(
    decision: Parameters<typeof adoptDecision>[1],
    options: AdoptOptions & CallOptions = {},
  ): Promise<AdoptResult> {
    const { adopt } = await import('./experiment/adopt.ts');
    return await adopt(await this.#following(options), decision, options);
  }

  /**
   * Opens policies by name for the duration of the body: rules, checkpoints, and models, whose answers are recorded before they are
   * judged. Errors in any policy are thrown before the body is called.
   */
  async withPolicies<Result>(
    names: readonly string[],
    options: PoliciesOptions & CallOptions,
    body: (policies: readonly NamedPolicy[]) => Promise<Result>,
  ): Promise<Result> {
    const { withPolicies } = await import('./experiment/policies.ts');
    return await withPolicies(await this.#following(options), names, options, body);
  }

  /** A training outside of runs, in a folder. Nothing is written before `train` is called. */
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

  /** Replays decisions with other contexts or engineers. Repeating an interrupted call continues it. */
  async ablate(runs: readonly string[] = [], options: AblateOptions & CallOptions = {}): Promise<Ablated> {
    const { ablate } = await import('./ablation/ablate.ts');
    return await ablate(await this.#following(options), runs, options);
  }

  /** What an ablation would do, cost and be able to detect. Records nothing. */
  async planAblation(
    runs: readonly string[] = [],
    options: AblationPlanOptions & CallOptions = {},
  ): Promise<AblationPlan> {
    const { planAblation } = await import('./ablation/ablate.ts');
    return await planAblation(await this.#following(options), runs, options);
  }

  /** How much a good decision could gain in an environment. Repeating an interrupted call continues it. */
  async headroom(
    environment: NonNullable<RunOptions['environment']>,
    options: HeadroomOptions & CallOptions = {},
  ): Promise<Headroom> {
    const { headroom } = await import('./ablation/headroom.ts');
    return await headroom(await this.#following(options), environment, options);
  }

  /** The results of a recorded ablation. */
  async ablation(name = 'latest', options: CallOptions = {}): Promise<Ablated> {
    const { readAblation } = await import('./ablation/ablate.ts');
    return await readAblation(this.#with(options), name);
  }

  /** All recorded ablations, newest first. */
  async ablations(options: CallOptions = {}): Promise<ListAblations> {
    const { ablations } = await import('./ablation/list.ts');
    return await ablations(this.#with(options));
  }

  /** A run with its stages, or one stage (`mine@2`). */
  async show(reference = 'latest', options: ShowOptions & CallOptions = {}): Promise<RunShown | StageShown> {
    const { showRunOrStage } = await import('./understanding.ts');
    const found = await showRunOrStage(this.#with(options), runReference(reference), options);
    return 'run' in found ? found.run : found.stage;
  }

  /** Runs, newest first. */
  async runs(options: RunsOptions & CallOptions = {}): Promise<RunsResult> {
    const { runs } = await import('./understanding.ts');
    return (await runs(this.#with(options), options)).result;
  }

  /** Why a stage was configured as it was: from each changed knob to the rollouts behind it, and to the effect of the change. */
  async why(reference = 'latest', options: WhyOptions & CallOptions = {}): Promise<Why> {
    const { why } = await import('./understanding.ts');
    return await why(this.#with(options), runReference(reference), options);
  }

  /** Every change of a run, or of one stage, with its reason, whether its citations are valid, and its effect. */
  async audit(reference = 'latest', options: CallOptions = {}): Promise<Audit> {
    const { audit } = await import('./understanding.ts');
    return await audit(this.#with(options), runReference(reference));
  }

  /** The differences between two stages; a single stage is compared with the one before it. */
  async diff(first: string, second?: string, options: DiffOptions & CallOptions = {}): Promise<DiffResult> {
    const { diff } = await import('./understanding.ts');
    const [one, other] = [stageReference(first), second === undefined ? undefined : stageReference(second)];
    return await diff(this.#with(options), one, other, options);
  }

  /** Compares runs, or stages of them, and estimates the differences. */
  async compare(runs: readonly string[], options: CompareOptions & CallOptions = {}): Promise<Compared> {
    const { compare } = await import('./understanding.ts');
    return await compare(this.#with(options), runs, options);
  }

  /** Everything about a run, as the page of `icecore report` shows it. */
  async report(run = 'latest', options: ReportOptions & CallOptions = {}): Promise<Report> {
    const { report } = await import('./understanding.ts');
    return await report(this.#with(options), run, options);
  }

  /** Everything about one rollout, by its event's id: what was asked, answered and judged, drawn by its environment if that is registered. */
  async rollout(event: string, options: RolloutOptions & CallOptions = {}): Promise<RolloutShown> {
    const { rollout } = await import('./rollout.ts');
    return await rollout(this.#with(options), event, options);
  }

  /** The rows of an SQL query, typed by a schema if one is given. Refreshes the tables first. */
  async sql<Row = SqlRow>(sql: string, options: SqlOptions<Row> & CallOptions = {}): Promise<readonly Row[]> {
    return await this.#asking(options, (client, signal) => client.rows(sql, options, signal));
  }

  /** The same as an Arrow IPC stream, for `tableFromIPC` and similar readers. */
  async sqlArrow(sql: string, options: CallOptions = {}): Promise<Uint8Array> {
    return await this.#asking(options, (client, signal) => client.arrow(sql, signal));
  }

  /** The same as a file: Parquet, Arrow, CSV, NDJSON, JSON, Markdown or a text table. Returns the number of rows. */
  async sqlFile(sql: string, file: string, options: SqlFileOptions & CallOptions): Promise<number> {
    return await this.#asking(options, (client, signal) => client.toFile(sql, file, options, signal));
  }

  /** The same, written to a sink as it comes. Returns the number of rows. */
  async writeSql(sql: string, out: Sink, options: SqlWriteOptions & CallOptions): Promise<number> {
    return await this.#asking(options, (client, signal) => client.write(sql, out, options, signal));
  }

  /** A current copy of the SQL tables, for other programs that read DuckDB files. The next copy replaces it. */
  async copyTables(options: CallOptions = {}): Promise<TablesCopy> {
    const { copyTables } = await import('./tables.ts');
    return await copyTables(this.#with(options));
  }

  /** The SQL tables with the meaning of their columns, or one of them. */
  async tables(name?: string): Promise<ListTables> {
    const { tables } = await import('./tables.ts');
    return await tables(this.#session, name);
  }

  /** Keeps the SQL tables up to date until stopped; yields what each refresh added. */
  async *keepFresh(options: RefreshOptions & CallOptions = {}): AsyncGenerator<ProjectResult, void, undefined> {
    const { keepFresh } = await import('./tables.ts');
    yield* keepFresh(this.#until(options), options);
  }

  /** Refreshes the SQL tables, as every query does automatically. */
  async refresh(options: RefreshOptions & CallOptions = {}): Promise<ProjectResult> {
    const { refresh } = await import('./tables.ts');
    return await refresh(this.#with(options), options);
  }

  /** Exports tables as Parquet, Arrow or NDJSON to a folder. */
  async exportTables(options: ExportTablesOptions & CallOptions): Promise<ExportTablesResult> {
    const { exportTables } = await import('./transfer/tables.ts');
    return await exportTables(this.#with(options), options);
  }

  /** Exports events to a file, a folder or a sink; returns null for a sink. */
  async exportEvents(
    destination: EventsDestination,
    format: EventsFormat,
    options: ExportEventsOptions & CallOptions = {},
  ): Promise<ExportEventsResult | null> {
    const { exportEvents } = await import('./transfer/events.ts');
    return await exportEvents(this.#with(options), destination, format, options);
  }

  /** Exports a run with everything it needs as one file. */
  async exportBundle(run = 'latest', options: ExportBundleOptions & CallOptions = {}): Promise<ExportBundleResult> {
    const { exportBundle } = await import('./transfer/bundle.ts');
    return await exportBundle(this.#with(options), run, options);
  }

  /** Imports a run from such a file. */
  async importBundle(input: Input, options: ImportBundleOptions & CallOptions = {}): Promise<ImportBundleResult> {
    const { importBundle } = await import('./transfer/bundle.ts');
    return await importBundle(await this.#following(options), input, options);
  }

  /** Imports runs from a file with an importer of a plugin. Repeating it adds nothing. */
  async import(importer: string, file: string, options: ImportOptions & CallOptions = {}): Promise<ImportNdjsonResult> {
    const { importBy } = await import('./transfer/ndjson.ts');
    return await importBy(await this.#following(options), importer, file, options);
  }

  /** Imports runs from a file of records of any training, one JSON object per line. Repeating it adds nothing. */
  async importNdjson(file: string, options: ImportNdjsonOptions & CallOptions = {}): Promise<ImportNdjsonResult> {
    const { importNdjson } = await import('./transfer/ndjson.ts');
    return await importNdjson(await this.#following(options), file, options);
  }

  /** Copies a ledger, or one run, between URLs, for a backup or a move. */
  async copy(
    places: readonly [from: string, to: string],
    options: CopyOptions & CallOptions = {},
  ): Promise<CopyResult> {
    const { copyLedger } = await import('./transfer/copy.ts');
    return await copyLedger(await this.#following(options), places, options);
  }

  /** Checks that the ledger contains exactly what was written to it. */
  async verify(options: VerifyOptions & CallOptions = {}): Promise<VerifyReport> {
    const { verify } = await import('./verification/verify.ts');
    return await verify(options.recompute === true ? await this.#following(options) : this.#with(options), options);
  }

  /** Records which attempts of a stage (`mine@2`) count, with a root over the evidence of each. */
  async seal(stage: string, options: SealOptions & CallOptions = {}): Promise<SealResult> {
    const { seal } = await import('./verification/seals.ts');
    return await seal(await this.#following(options), stageReference(stage), options);
  }

  /** The digest of the whole ledger, to be stored where writers of the ledger cannot write. */
  async head(options: HeadOptions & CallOptions = {}): Promise<LedgerHead> {
    const { head } = await import('./verification/seals.ts');
    return await head(this.#with(options), options);
  }

  /** A proof that an event is in the ledger, which anyone can check with SHA-256 alone. */
  async prove(event: string, options: ProveOptions & CallOptions = {}): Promise<EventProof> {
    const { prove } = await import('./verification/seals.ts');
    return await prove(this.#with(options), event, options);
  }

  /** Erases texts of events that are stored as blobs, and records the erasure. */
  async redact(events: readonly string[], options: RedactOptions & CallOptions): Promise<RedactResult> {
    const { redact } = await import('./events/redact.ts');
    return await redact(await this.#following(options), events, options);
  }

  /** Stores a file or a stream of bytes under its digest, for events to refer to. Redacted content is not stored again. */
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
   * Appends events to one stream, all or none, and creates a missing workspace. Repeating an id succeeds if the events are equal; if
   * the stream has changed meanwhile, throws WrongRevision.
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
    // After a failure, the next call tries again.
    const writer = await this.#writer.catch((fault: unknown) => {
      this.#writer = null;
      throw fault;
    });
    return await writer.ledger.append(stream, await this.#complete(events), { expect, signal });
  }

  /**
   * Appends events from a file or a stream of NDJSON or CloudEvents, and creates a missing workspace. Repeating the same input adds
   * nothing. A refused line is an error, or goes to the file `rejects`.
   */
  async appendFrom(input: Input, options: AppendFromOptions & CallOptions = {}): Promise<AppendSummary> {
    this.#intake ??= import('./events/append.ts').then(({ Intake }) => new Intake());
    return await (await this.#intake).append(await this.#following(options), input, options);
  }

  /** Recorded events in order: those of some types or streams, after a cursor, or the last ones. */
  async *events(options: EventsOptions & CallOptions = {}): AsyncGenerator<StoredEvent, void, undefined> {
    const { events } = await import('./events/read.ts');
    for await (const batch of events(this.#with(options), options)) yield* batch;
  }

  /** One event, by its id, a prefix of an id, or STREAM@REVISION; on request with its texts that are stored as blobs. */
  async event(reference: string, options: EventOptions & CallOptions = {}): Promise<EventFound> {
    const { event } = await import('./events/read.ts');
    return await event(this.#with(options), reference, options);
  }

  /**
   * Existing events, then new ones as they are recorded, until stopped. Waits for a store that does not answer, for as long as it
   * takes.
   */
  async *subscribe(options: FollowOptions & CallOptions = {}): AsyncGenerator<Delivery, void, undefined> {
    const { subscribe } = await import('./events/read.ts');
    yield* subscribe(this.#until(options), options);
  }

  /** How one cursor is to another: `before`, `equal`, `after`, or `concurrent` where the ledger has several feeds. */
  async compareCursors(one: Cursor, other: Cursor, options: CallOptions = {}): Promise<CursorOrder> {
    const { compareCursors } = await import('./events/read.ts');
    return await compareCursors(this.#with(options), one, other);
  }

  /** Closes the ledger, the tables and every process. */
  async close(): Promise<void> {
    const opened = [this.#writer, this.#intake, this.#sql === null ? null : Promise.resolve(this.#sql)];
    this.#writer = null;
    this.#intake = null;
    this.#sql = null;
    await Promise.all(opened.map((one) => one?.then((ready) => ready.close())));
  }

  /** Same as `close`, for `await using`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** The first event to append loads the catalogue. */
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

  /** Throws the reason of a signal that is aborted already. */
  #with(options: CallOptions): Session {
    const session = this.#until(options);
    session.signal.throwIfAborted();
    return session;
  }

  /** For what ends without an error when its signal aborts. */
  #until({ signal }: CallOptions): Session {
    if (signal === undefined) return this.#session;
    return { ...this.#session, signal: AbortSignal.any([this.#session.signal, signal]) };
  }

  /** For verbs that work or write: runs the code of a settings file first. */
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
    if (this.#sql === null) {
      const { SqlPool } = await import('./sql/client.ts');
      this.#sql ??= new SqlPool(this.#session);
    }
    try {
      return await this.#sql.with((client) => body(client, signal));
    } catch (fault) {
      // The caller of an aborted call always gets the abort's reason.
      throw signal.aborted ? signal.reason : fault;
    }
  }
}
