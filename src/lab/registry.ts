// What plugins provide by name: environments, policies, trainers, importers and engineers. A registry is a value that
// is passed to whatever opens things by name; there is no global one. Entries are cheap to import and load their
// implementation when opened.
import type { EventData } from '../../schemas/catalogue.ts';
import type { EventType } from '../../schemas/family.ts';
import type { OwnTable } from '../../schemas/own-tables.ts';
import type { ContextModules } from './context-modules.ts';
import type { Engineer } from './engineers/engineer.ts';
import type { Configuration, Environment, Judged, Seed } from './environments/environment.ts';
import type { Checkpoint, Policy } from './policies/policy.ts';
import type { HyperparameterEntry, HyperparameterValues } from './trainers/knobs.ts';
import type { Trained, Trainer } from './trainers/trainer.ts';

/** An environment as registered by a plugin. */
export interface EnvironmentEntry {
  readonly name: string;
  /** A short description. */
  readonly summary: string;
  /** The default settings of a run in this environment. */
  readonly usual?: UsualSettings;
  /** How to read its drawings, in a line; the descriptor can have a longer text. */
  readonly legend?: string;
  /** Settings that are knobs only in a run that names them. */
  readonly optionalKnobs?: readonly string[];
  /** Loads and opens the environment. The caller closes it. */
  open(options: EnvironmentOptions): Promise<Environment>;
}

/** The default settings of a run. */
export interface UsualSettings {
  readonly policy?: string;
  readonly trainer?: string;
  readonly budget?: Readonly<Record<string, number>>;
}

/** The options for opening an environment. */
export interface EnvironmentOptions {
  /** The optional knobs that become knobs in this run. */
  readonly knobs: readonly string[];
  /** The name of its plugin, for messages. */
  readonly plugin?: string;
  readonly signal?: AbortSignal;
}

/** A policy as registered by a plugin. */
export interface PolicyEntry {
  readonly name: string;
  readonly summary: string;
  /** The environments it supports (default: all). */
  readonly environments?: readonly string[];
  /** Present for a policy that can be trained; rules have none. */
  readonly checkpoints?: PolicyCheckpoints;
  /** Loads and opens the policy. The caller closes it. */
  open(options: PolicyOptions): Promise<Policy>;
}

/** The options for opening a policy. */
export interface PolicyOptions {
  /** Null for a rule. */
  readonly checkpoint: Checkpoint | null;
  readonly environment: Pick<Environment, 'descriptor' | 'prompt'>;
  /** The default is the number of CPU cores. */
  readonly threads?: number;
}

/** Checkpoints are files with the ending .safetensors. */
export interface PolicyCheckpoints {
  /** The maximum file size. */
  readonly mostBytes: number;
  /** Throws an IcecoreError if these bytes cannot be used for this purpose. */
  check(bytes: Buffer, use: 'plan' | 'train'): Promise<void>;
  /** Writes an untrained checkpoint, base.safetensors, into a folder; deterministic for a given request. */
  base?(request: BaseRequest): Promise<Checkpoint>;
}

/** What an untrained checkpoint is made for, and where it is written. */
export interface BaseRequest {
  /** The environment's start configuration. */
  readonly configuration: Configuration;
  readonly seed: Seed;
  readonly folder: string;
}

/** A trainer as registered by a plugin. */
export interface TrainerEntry {
  readonly name: string;
  readonly summary: string;
  /** The environments it supports (default: all). */
  readonly environments?: readonly string[];
  /** The supported budget units (default: any). */
  readonly units?: readonly string[];
  /** The hyper-parameters that a run may set, by name. */
  readonly hyperparameters?: Readonly<Record<string, HyperparameterEntry>>;
  /** Present if the results of a training can be recomputed from its rollouts. */
  readonly audit?: () => Promise<TrainerAudit>;
  /** Loads and opens the trainer. The caller closes it. */
  open(options: TrainerOptions): Promise<Trainer>;
}

/** The options for opening a trainer. */
export interface TrainerOptions {
  /** Those that differ from the defaults. */
  readonly hyperparameters: HyperparameterValues;
  /** The name of its plugin, for messages. */
  readonly plugin?: string;
  /** The default is the number of CPU cores. */
  readonly threads?: number;
}

/** Recomputes from rollouts what a trainer recorded. */
export interface TrainerAudit {
  /** The reward of a rollout, given the recorded parameters of the trainer. */
  rewardOf(verdict: Pick<Judged, 'success' | 'metrics'>, parameters: Readonly<Record<string, unknown>>): number;
  /** The step of the last checkpoint. */
  lastStep(spent: Readonly<Record<string, number>>): number | undefined;
  /** The figures of a training. Its rollouts arrive in order. */
  figures(training: AuditedTraining): Promise<TrainingFigures>;
}

/** A recorded training to recompute. */
export interface AuditedTraining {
  readonly configuration: unknown;
  readonly budget: Readonly<Record<string, number>>;
  readonly rollouts: AsyncIterable<EventData['RolloutRecorded']>;
}

/** The figures of a training that an audit compares. */
export type TrainingFigures = Pick<Trained, 'spent' | 'curve' | 'signal' | 'sampled'>;

/** Everything that plugins provide, by name. */
export interface Registry {
  readonly environments: ReadonlyMap<string, EnvironmentEntry>;
  readonly policies: ReadonlyMap<string, PolicyEntry>;
  readonly trainers: ReadonlyMap<string, TrainerEntry>;
  readonly engineers: ReadonlyMap<string, EngineerEntry>;
  readonly contextModules: ContextModules;
  readonly importers: ReadonlyMap<string, ImporterEntry>;
  readonly eventTypes: readonly EventType[];
  readonly tables: readonly OwnTable[];
  /** The names of all plugins. */
  readonly plugins: readonly string[];
}

/** An importer as registered by a plugin. */
export interface ImporterEntry {
  readonly name: string;
  readonly summary: string;
  /** The records of a file, always the same in the same order. Throws PluginFault. */
  records(given: ImportRequest): AsyncIterable<object>;
}

/** The file to import, and the importer's settings. */
export interface ImportRequest {
  readonly path: string;
  /** Its own settings, as given. */
  readonly settings: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
  /** The content of the file. */
  bytes(): AsyncIterable<Uint8Array>;
}

/** An engineer as registered by a plugin. */
export interface EngineerEntry {
  readonly name: string;
  readonly version?: string;
  readonly summary: string;
  /** The context modules it can use; empty for an engineer that sees no context. */
  readonly reads: readonly string[];
  /** The environments in which it cheats by reading what they hide: an upper bound of what others could reach. */
  readonly upperBoundOf?: readonly string[];
  /** Loads and opens the engineer. The caller closes it. */
  open(options: EngineerOptions): Promise<Pick<Engineer, 'propose' | 'close'>>;
}

/** The options for opening an engineer. */
export interface EngineerOptions {
  /** The name of its plugin, for messages. */
  readonly plugin?: string;
}

type Trainable = PolicyEntry & { readonly checkpoints: PolicyCheckpoints };

/** The policies that can be trained in an environment. */
export function trainableOn({ policies }: Registry, environment: string): readonly Trainable[] {
  return [...policies.values()].filter(
    (policy): policy is Trainable =>
      policy.checkpoints !== undefined && (policy.environments?.includes(environment) ?? true),
  );
}

/** Policies that cannot be trained: rules. */
export function rulesIn({ policies }: Registry): readonly PolicyEntry[] {
  return [...policies.values()].filter(({ checkpoints }) => checkpoints === undefined);
}
