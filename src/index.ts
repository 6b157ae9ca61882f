// The exports of `icecore`: the workspace with everything it can do, and errors. Importing it loads no store, no DuckDB and no
// catalogue. `icecore/ledger` has ledgers, `icecore/schemas` the event catalogue, and `icecore/plugins` what plugins need.

import { testbed } from '../testbed/plugin.ts';
import { openWorkspace as openWith, type WorkspaceOptions } from './library/open.ts';
import type { Workspace } from './library/workspace.ts';

// Results.
export type { Ablated, AblationPlan } from '../schemas/ablation-output.ts';
export type { Audit } from '../schemas/audit-output.ts';
export type { AdoptResult, ContextResult, ProposeResult, StageFinished, StageSpec } from '../schemas/by-hand-output.ts';
export type { Compared } from '../schemas/compare-output.ts';
export { BadEventType, defineEvent, type OwnData, type OwnEvent } from '../schemas/define-event.ts';
export { type ErrorKind, errorKinds, IcecoreError, type Issue, type Remedies } from '../schemas/errors.ts';
export type {
  ExportBundleResult,
  ExportEventsResult,
  ExportTablesResult,
  ImportBundleResult,
  ImportNdjsonResult,
} from '../schemas/export-output.ts';
export type { EventProof, LedgerHead } from '../schemas/head.ts';
export type { Headroom } from '../schemas/headroom-output.ts';
export type { ListAblations, ListContexts, ListEngineers, ListEnvironments } from '../schemas/list-output.ts';
export type { DecisionSent, NextDecision } from '../schemas/next-output.ts';
export type {
  AppendSummary,
  BlobPut,
  CopyResult,
  DoctorReport,
  InitResult,
  RedactResult,
  SealResult,
  TrustResult,
  VerifyReport,
} from '../schemas/output.ts';
export type { Report } from '../schemas/report-output.ts';
export type { FrameChoice, RolloutShown } from '../schemas/rollout-output.ts';
export type { RunSettings } from '../schemas/run-file.ts';
export type { AnnotateResult, DiffResult, RunShown, RunsResult, StageShown } from '../schemas/run-output.ts';
export type { RunResult } from '../schemas/run-result.ts';
export type { ListTables, ProjectResult, TablesCopy } from '../schemas/tables-output.ts';
export type { NamedBlob } from '../schemas/texts.ts';
export type { Why } from '../schemas/why-output.ts';
export type { WorkResult } from '../schemas/work-result.ts';
export type { StageRange } from './analysis/export/events/selection.ts';
export { StorageFailed } from './base/folders.ts';
export type { Sink } from './base/sink.ts';
export type { EvaluateRequest } from './lab/evaluation/evaluate.ts';
export type { Cursor, CursorOrder, Expectation } from './ledger/event.ts';
export type { Appended, Delivery } from './ledger/ledger.ts';
export type { StoredEvent } from './ledger/stored.ts';
export type { UnknownEvents } from './ledger/unknown-events.ts';
// Options of the workspace's methods.
export type { AblateOptions, AblationProgress } from './library/ablation/ablate.ts';
export type { HeadroomOptions } from './library/ablation/headroom.ts';
export type { AblationPlanOptions } from './library/ablation/query.ts';
export type { PutBlobOptions } from './library/blobs.ts';
export * from './library/caught-errors.ts';
export type {
  ConfigConsent,
  Consent,
  HostConsent,
  ProgramConsent,
  WorkspaceConsent,
} from './library/consent/consents.ts';
export type { HostToTrust, RevokeOptions, TrustRequest } from './library/consent/trust.ts';
export type { DoctorOptions } from './library/doctor.ts';
export * from './library/documents.ts';
export type { AppendFromOptions, LineOutcome, StoredSoFar } from './library/events/append.ts';
export type {
  BlobText,
  EventFound,
  EventOptions,
  EventsOptions,
  FollowOptions,
  TextState,
} from './library/events/read.ts';
export type { RedactOptions } from './library/events/redact.ts';
export type { AdoptOptions } from './library/experiment/adopt.ts';
export type { RunProgress } from './library/experiment/advance.ts';
export type { AnnotateOptions } from './library/experiment/annotate.ts';
export type { ContextOptions } from './library/experiment/context.ts';
export type { ForkOptions } from './library/experiment/fork.ts';
export type { NamedPolicy, PoliciesOptions } from './library/experiment/policies.ts';
export type { ProposeOptions } from './library/experiment/propose.ts';
export type { ResumeOptions, RunOptions } from './library/experiment/run.ts';
export type { StageFinishOptions, StageStartOptions } from './library/experiment/stage.ts';
export type { FolderTrained, OpenTraining, TrainingRequest } from './library/experiment/train.ts';
export type { WorkerOptions, WorkerProgress } from './library/experiment/worker.ts';
export type { WorkspaceOptions } from './library/open.ts';
export { type ConfigExport, defineConfig, type UserConfig } from './library/place/define-config.ts';
export type { InitOptions } from './library/place/init.ts';
export type { Input } from './library/place/source.ts';
export type { RunReference, StageName, StageReference } from './library/reference.ts';
export type { RolloutOptions } from './library/rollout.ts';
export type { BytesRead, Notice } from './library/session.ts';
export type { SqlFileOptions, SqlFormat, SqlOptions, SqlRow, SqlWriteOptions } from './library/sql/rows.ts';
export { UnexpectedRow } from './library/sql/rows.ts';
export type { RefreshOptions } from './library/tables.ts';
export type { ExportBundleOptions, ImportBundleOptions } from './library/transfer/bundle.ts';
export type { CopyOptions } from './library/transfer/copy.ts';
export type { EventsDestination, EventsFormat, ExportEventsOptions } from './library/transfer/events.ts';
export type { ImportNdjsonOptions, ImportOptions } from './library/transfer/ndjson.ts';
export type { ExportTablesOptions } from './library/transfer/tables.ts';
export type {
  CompareOptions,
  DiffOptions,
  ReportOptions,
  RunsOptions,
  ShowOptions,
  WhyOptions,
} from './library/understanding.ts';
export type { GivenHead, GivenText } from './library/verification/notes.ts';
export type { HeadOptions, ProveOptions, SealOptions } from './library/verification/seals.ts';
export type { VerifyOptions } from './library/verification/verify.ts';
export type { CallOptions, EventToAppend, Workspace } from './library/workspace.ts';
// Progress.
export type { Depth } from './producers/ablation/design.ts';
export type {
  Adoption,
  NewerEvent,
  Recorded,
  RunHistory,
  StageHistory,
} from './producers/history/run-history.ts';
export type { Standing } from './projections/current-tables.ts';

/** Finds the workspace. Nothing is opened or created before a method needs it. The testbed is available in addition to your plugins. */
export async function openWorkspace({ plugins = [], ...options }: WorkspaceOptions = {}): Promise<Workspace> {
  return await openWith({ ...options, plugins: [testbed, ...plugins] });
}
