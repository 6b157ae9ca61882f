// What plugins are written with. Importing it loads nothing that opens anything.

export { BadEventType, defineEvent, type OwnData, type OwnEvent } from '../../../schemas/define-event.ts';
export { IcecoreError, type Issue } from '../../../schemas/errors.ts';
export type { OwnColumn, OwnTable } from '../../../schemas/own-tables.ts';
export type { Sink } from '../../base/sink.ts';
export type { Paint } from '../../base/terminal.ts';
export type {
  ContextContent,
  ContextHistory,
  ContextItem,
  ContextModuleEntry,
  ContextModules,
  DataOf,
  HistoryStage,
} from '../../lab/context-modules.ts';
export type {
  Answer,
  ContextModule,
  Engineer,
  Exemplar,
  Fact,
  Identity,
  NoProposal,
  Proposal,
  ProposalRequest,
  Reason,
  ShownContext,
  Spent,
} from '../../lab/engineers/engineer.ts';
export { checkConfiguration } from '../../lab/environments/configuration.ts';
export type { Configuration, Drawing, Environment, Frame, Score } from '../../lab/environments/environment.ts';
export { PluginFault } from '../../lab/plugin-fault.ts';
export type { Checkpoint, Policy } from '../../lab/policies/policy.ts';
export { Random } from '../../lab/random.ts';
export type {
  AuditedTraining,
  BaseRequest,
  EngineerEntry,
  EngineerOptions,
  EnvironmentEntry,
  EnvironmentOptions,
  ImporterEntry,
  ImportRequest,
  PolicyCheckpoints,
  PolicyEntry,
  PolicyOptions,
  Registry,
  TrainerAudit,
  TrainerEntry,
  TrainerOptions,
  TrainingFigures,
  UsualSettings,
} from '../../lab/registry.ts';
export type { HyperparameterEntry, HyperparameterValues } from '../../lab/trainers/knobs.ts';
export {
  FolderTaken,
  type Point,
  type Progress,
  type Trained,
  type Trainer,
  TrainerClosed,
  type TrainRequest,
} from '../../lab/trainers/trainer.ts';
export type { RecordToImport } from '../../producers/imports/records.ts';
export {
  type Always,
  argument,
  type Candidate,
  type CommandContext,
  type CommandEntry,
  type CommandIo,
  type CommandModule,
  type CommandProgress,
  type Complete,
  type ConfigUse,
  type Declarations,
  type Declared,
  type DefineCommand,
  defineCommand,
  type FormatOption,
  flag,
  type Help,
  type LiveLines,
  type More,
  negation,
  option,
  type Step,
  type ValuesOf,
  type ValueType,
} from './command.ts';
export type { ContextModuleDefinition, DefinedContextModule } from './context-module.ts';
export {
  defineContextModule,
  defineEngineer,
  defineEnvironment,
  defineImporter,
  definePolicy,
  defineTrainer,
} from './define.ts';
export type { EngineerDefinition, EngineerRequest, ProposalOf } from './engineer.ts';
export type {
  ConfigurationOf,
  DefinedEnvironment,
  EnvironmentDefinition,
  GenerateOf,
  KnobDefinition,
  PlayerOf,
  PlayOf,
  PlayResult,
  SettingDefinition,
  SuiteOf,
  TaskOf,
  VerdictOf,
} from './environment.ts';
export type { DefinedImporter, ImporterDefinition, RecordsRequest } from './importer.ts';
export { BadPlugin, definePlugin, NameTaken, type Plugin, registryOf } from './plugin.ts';
export {
  BadProjection,
  type ColumnDefinition,
  type DefinedProjection,
  defineProjection,
  type FieldOf,
  type ProjectionDefinition,
  type ProjectionEntry,
  rowOf,
  type SharedRow,
} from './projection.ts';
export type {
  GroupRollout,
  HyperparameterDefinition,
  SampleGroup,
  TrainerDefinition,
  Updated,
  UpdateRequest,
} from './trainer.ts';
export * as values from './values.ts';
