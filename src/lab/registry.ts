// What plugins offer under a name: environments, policies and trainers. A registry is a value that is handed on to whoever opens
// something by its name; there is none beside it. Entries are cheap to import: what they open is loaded when it is opened.
import type { EventData } from '../../schemas/catalogue.ts';
import type { EventType } from '../../schemas/family.ts';
import type { OwnTable } from '../../schemas/own-tables.ts';
import type { TrainerKnob } from '../../schemas/run-file.ts';
import type { ContextModules } from './context-modules.ts';
import type { Engineer } from './engineers/engineer.ts';
import type { Configuration, Environment, Judged, Seed } from './environments/environment.ts';
import type { Checkpoint, Policy } from './policies/policy.ts';
import type { Trained, Trainer } from './trainers/trainer.ts';

/** An environment, as a plugin registers it. */
export interface EnvironmentEntry {
  readonly name: string;
  /** What it is, in a few words. */
  readonly summary: string;
  /** What a run on it has where nothing else is said. */
  readonly usual?: UsualSettings;
  /** Settings that are knobs only in a run that names them. */
  readonly optionalKnobs?: readonly string[];
  /** Loads and opens the environment. Whoever calls it closes it. */
  open(options: EnvironmentOptions): Promise<Environment>;
}

/** The settings of a run that names none of its own. */
export interface UsualSettings {
  readonly policy?: string;
  readonly trainer?: string;
  readonly budget?: Readonly<Record<string, number>>;
}

/** What an environment is opened with. */
export interface EnvironmentOptions {
  /** The optional knobs that this run has. */
  readonly knobs: readonly string[];
  /** Whose it is, for messages. */
  readonly plugin?: string;
  readonly signal?: AbortSignal;
}

/** A policy, as a plugin registers it. */
export interface PolicyEntry {
  readonly name: string;
  readonly summary: string;
  /** Those it can play; left out: all. */
  readonly environments?: readonly string[];
  /** Of a policy that can be trained. One without is a rule. */
  readonly checkpoints?: PolicyCheckpoints;
  /** Loads and opens the policy. Whoever calls it closes it. */
  open(options: PolicyOptions): Promise<Policy>;
}

/** What a policy is opened with. */
export interface PolicyOptions {
  /** Null for a rule. */
  readonly checkpoint: Checkpoint | null;
  readonly environment: Pick<Environment, 'descriptor' | 'prompt'>;
  /** Left out: as many as there are cores. */
  readonly threads?: number;
}

/** A checkpoint is a file, named .safetensors. */
export interface PolicyCheckpoints {
  /** No file with more bytes is read as one. */
  readonly mostBytes: number;
  /** Throws an IcecoreError where these bytes cannot be used for that. */
  check(bytes: Buffer, use: 'plan' | 'train'): Promise<void>;
  /** Writes base.safetensors, a snapshot that was not trained, into a folder; the same for the same request. */
  base?(request: BaseRequest): Promise<Checkpoint>;
}

/** What an untrained snapshot is made for, and where it is written. */
export interface BaseRequest {
  /** What its environment starts with. */
  readonly configuration: Configuration;
  readonly seed: Seed;
  readonly folder: string;
}

/** Hyper-parameters by name; one that is undefined is as usual. */
export type HyperparameterValues = Readonly<Record<string, number | undefined>>;

/** A trainer, as a plugin registers it. */
export interface TrainerEntry {
  readonly name: string;
  readonly summary: string;
  /** Those it can train on; left out: all. */
  readonly environments?: readonly string[];
  /** The units that budgets may be in; left out: any. */
  readonly units?: readonly string[];
  /** The hyper-parameters that a run may set, by name. */
  readonly hyperparameters?: Readonly<Record<string, HyperparameterEntry>>;
  /** Where what it recorded of a training can be computed again from its rollouts. */
  readonly audit?: () => Promise<TrainerAudit>;
  /** Loads and opens the trainer. Whoever calls it closes it. */
  open(options: TrainerOptions): Promise<Trainer>;
}

/** A hyper-parameter of a registered trainer. A run may set it, and may let the engineer change it. */
export interface HyperparameterEntry extends Omit<TrainerKnob, 'name'> {
  /** The range within which an engineer may change it, where that is narrower. */
  readonly knobRange?: TrainerKnob['range'];
}

/** What a trainer is opened with. */
export interface TrainerOptions {
  /** Those that are not as usual. */
  readonly hyperparameters: HyperparameterValues;
  /** Whose it is, for messages. */
  readonly plugin?: string;
  /** Left out: as many as there are cores. */
  readonly threads?: number;
}

/** Computes again from rollouts what a trainer recorded. */
export interface TrainerAudit {
  /** What a rollout earned, by what is recorded of the trainer. */
  rewardOf(verdict: Pick<Judged, 'success' | 'metrics'>, parameters: Readonly<Record<string, unknown>>): number;
  /** The step of the last checkpoint. */
  lastStep(spent: Readonly<Record<string, number>>): number | undefined;
  /** The figures of a training. Its rollouts come in their order. */
  figures(training: AuditedTraining): Promise<TrainingFigures>;
}

/** A recorded training, to be computed again. */
export interface AuditedTraining {
  readonly configuration: unknown;
  readonly budget: Readonly<Record<string, number>>;
  readonly rollouts: AsyncIterable<EventData['RolloutRecorded']>;
}

/** The figures of a training that an audit compares. */
export type TrainingFigures = Pick<Trained, 'spent' | 'curve' | 'signal' | 'sampled'>;

/** Everything that plugins offer, by name. */
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

/** An importer, as a plugin registers it. */
export interface ImporterEntry {
  readonly name: string;
  readonly summary: string;
  /** The records of a file, from its beginning; the same in the same order each time. Throws PluginFault. */
  records(given: ImportRequest): AsyncIterable<object>;
}

/** The file that an importer reads, and its settings. */
export interface ImportRequest {
  readonly path: string;
  /** Those of its own, as they were given. */
  readonly settings: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
  /** Of the file, from its beginning. */
  bytes(): AsyncIterable<Uint8Array>;
}

/** An engineer, as a plugin registers it. */
export interface EngineerEntry {
  readonly name: string;
  readonly version?: string;
  readonly summary: string;
  /** The modules of a context that it can use; none: it is shown nothing. */
  readonly reads: readonly string[];
  /** Loads and opens the engineer. Whoever calls it closes it. */
  open(options: EngineerOptions): Promise<Pick<Engineer, 'propose' | 'close'>>;
}

/** What an engineer is opened with. */
export interface EngineerOptions {
  /** Whose it is, for messages. */
  readonly plugin?: string;
}

type Trainable = PolicyEntry & { readonly checkpoints: PolicyCheckpoints };

/** The policies that can be trained on an environment. */
export function trainableOn({ policies }: Registry, environment: string): readonly Trainable[] {
  return [...policies.values()].filter(
    (policy): policy is Trainable =>
      policy.checkpoints !== undefined && (policy.environments?.includes(environment) ?? true),
  );
}

/** What nobody can be trained to: rules. */
export function rulesIn({ policies }: Registry): readonly PolicyEntry[] {
  return [...policies.values()].filter(({ checkpoints }) => checkpoints === undefined);
}
