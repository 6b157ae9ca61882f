// What a plugin is written with.
export type {
  AuditedTraining,
  BaseRequest,
  EnvironmentEntry,
  EnvironmentOptions,
  HyperparameterValues,
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
export { BadPlugin, definePlugin, NameTaken, type Plugin, registryOf } from './plugin.ts';
