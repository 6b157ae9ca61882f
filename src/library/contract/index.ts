// The suites that every environment, policy, trainer and engineer of icecore passes, for those of plugins: called in a test file of vitest.
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

/** `right`: an answer that is a success. `wrong`: answers that are none, as different from each other as they can be. */
export interface EnvironmentAnswers extends Pick<EnvironmentFixture, 'right' | 'wrong' | 'lacks'> {
  /** How many tasks the tests may ask for at once: 200 where it is left out. */
  readonly many?: number;
}

/** Registers the suite that every environment passes; call it in a test file of vitest. */
export function environmentContract(environment: EnvironmentEntry, answers: EnvironmentAnswers): void {
  const open = async () => await environment.open({ knobs: [] });
  heldEnvironment(environment.name, { ...answers, open, many: answers.many ?? 200 });
}

/** What the suite has to know about a policy to test it. */
export interface PolicyFacts extends Pick<PolicyFixture, 'draws' | 'knowsBest'> {
  /** An environment that it plays. */
  readonly on: EnvironmentEntry;
  /** For which tasks are made; left out: what it starts with. */
  readonly configuration?: Configuration;
  /** What it plans with; left out: it is a rule. */
  checkpoint?(): Promise<Checkpoint>;
  /** How many plans the tests may ask for at once: 100 where it is left out. */
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

/** What the suite has to know about a trainer to test it: what to train, and with which hyper-parameters. */
export interface TrainingFacts extends Omit<TrainerFixture, 'open'> {
  /** Those that are not as usual. */
  readonly hyperparameters?: HyperparameterValues;
}

/** Something to train that takes about a second, and the most that its last update may take beyond the budget. */
export function trainerContract(trainer: TrainerEntry, { hyperparameters = {}, ...training }: TrainingFacts): void {
  heldTrainer(trainer.name, { ...training, open: async () => await trainer.open({ hyperparameters }) });
}

/** What an engineer is held by. */
export interface EngineerFacts extends Pick<EngineerFixture, 'contexts'> {
  /** An environment that it redesigns. */
  readonly on: EnvironmentEntry;
}

/** It is asked without a context, with one that has nothing in it, and with figures of every family in each module that it reads. */
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
