// The vitest suites that every environment, policy, trainer and engineer of icecore passes, for plugins.
import {
  type Fixture as EngineerFixture,
  engineerContract as heldEngineer,
} from '../../lab/engineers/contract/engineer-contract.ts';
import { environmentContract as heldEnvironment } from '../../lab/environments/contract/environment-contract.ts';
import { collected, type Fixture as EnvironmentFixture } from '../../lab/environments/contract/tasks.ts';
import type { Configuration } from '../../lab/environments/environment.ts';
import {
  policyContract as heldPolicy,
  type Fixture as PolicyFixture,
} from '../../lab/policies/contract/policy-contract.ts';
import type { Checkpoint } from '../../lab/policies/policy.ts';
import type { EngineerEntry, EnvironmentEntry, PolicyEntry, TrainerEntry } from '../../lab/registry.ts';
import {
  trainerContract as heldTrainer,
  type Fixture as TrainerFixture,
} from '../../lab/trainers/contract/trainer-contract.ts';
import type { HyperparameterValues } from '../../lab/trainers/knobs.ts';

/** `right`: a successful answer. `wrong`: failing answers, as different from each other as possible. */
export interface EnvironmentAnswers extends Pick<EnvironmentFixture, 'right' | 'wrong' | 'lacks'> {
  /** Maximum number of tasks a test may request at once (default 200). */
  readonly many?: number;
}

/** Registers the suite that every environment passes; call it in a test file of vitest. */
export function environmentContract(environment: EnvironmentEntry, answers: EnvironmentAnswers): void {
  const open = async () => await environment.open({ knobs: [] });
  heldEnvironment(environment.name, { ...answers, open, many: answers.many ?? 200 });
}

/** What the suite needs to test a policy. */
export interface PolicyFacts extends Pick<PolicyFixture, 'draws' | 'knowsBest'> {
  /** An environment it can play. */
  readonly on: EnvironmentEntry;
  /** The configuration of the tasks (default: the environment's start configuration). */
  readonly configuration?: Configuration;
  /** The checkpoint it uses; leave it out for a rule. */
  checkpoint?(): Promise<Checkpoint>;
  /** Maximum number of plans a test may request at once (default 100). */
  readonly many?: number;
}

/** Registers the suite that every policy passes; call it in a test file of vitest. */
export function policyContract(policy: PolicyEntry, { on, configuration, checkpoint, ...facts }: PolicyFacts): void {
  const request = { split: 'validation', count: 20, seed: 'planned' } as const;
  heldPolicy(policy.name, {
    ...{ many: 100, ...facts },
    open: async () => {
      const environment = await on.open({ knobs: [] });
      return await policy.open({ checkpoint: (await checkpoint?.()) ?? null, environment });
    },
    tasks: async () => {
      const environment = await on.open({ knobs: [] });
      const { tasks } = await collected(
        environment.generate({ ...request, configuration: configuration ?? environment.start }),
      );
      await environment.close();
      return tasks;
    },
  });
}

/** What the suite needs to test a trainer: what to train, and the hyper-parameters. */
export interface TrainingFacts extends Omit<TrainerFixture, 'open'> {
  /** Hyper-parameters that differ from the defaults. */
  readonly hyperparameters?: HyperparameterValues;
}

/** Use a training that takes about a second; state how far its last update may exceed the budget. */
export function trainerContract(trainer: TrainerEntry, { hyperparameters = {}, ...training }: TrainingFacts): void {
  heldTrainer(trainer.name, { ...training, open: async () => await trainer.open({ hyperparameters }) });
}

/** What the suite needs to test an engineer. */
export interface EngineerFacts extends Pick<EngineerFixture, 'contexts'> {
  /** An environment it redesigns. */
  readonly on: EnvironmentEntry;
}

/** Tests the engineer without a context, with an empty one, and with figures of every family in each module that it reads. */
export function engineerContract(engineer: EngineerEntry, { on, ...facts }: EngineerFacts): void {
  heldEngineer(engineer.name, {
    ...facts,
    open: async () => await engineer.open({}),
    reads: engineer.reads,
    environment: async () => await on.open({ knobs: [] }),
  });
}

export type { ShownContext } from '../../lab/engineers/engineer.ts';
export { type ContextModuleFacts, contextModuleContract } from './context-module-contract.ts';
export { projectionContract } from './projection-contract.ts';
