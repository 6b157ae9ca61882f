// What the arms of one history work with: environment, policy, trainer and engineers, opened once and closed together.
// Only a few checkpoints stay open, because opening one takes longer than using it.

import { getOrCreate } from '../../base/get-or-create.ts';
import type { Engineer } from '../../lab/engineers/engineer.ts';
import { keepingTasks, rememberingTraining } from '../../lab/environments/caching.ts';
import type { Environment } from '../../lab/environments/environment.ts';
import type { Checkpoint, Policy } from '../../lab/policies/policy.ts';
import type { Trainer } from '../../lab/trainers/trainer.ts';
import { requireSameEnvironment } from '../by-hand/forking.ts';
import { chosenEngineer } from '../engineers/engineers.ts';
import type { Learner } from '../run/learner.ts';
import { environmentOf, learnerOf, openDecider, type Surroundings, trainerOf } from '../run/opening.ts';
import type { Lab } from '../run/session.ts';
import { trainerKnobsOf } from '../trainers/trainers.ts';
import type { EngineerWord, Replayed } from './design.ts';

interface OpenPolicy {
  readonly policy: Promise<Policy>;
  asking: number;
}

type Open = (checkpoint: Checkpoint | null) => Promise<Policy>;

const mostIdle = 4;

export class Snapshots {
  /** In the order of last use. */
  readonly #kept = new Map<string, OpenPolicy>();

  /** Opens like `open`, but closing returns the policy to this pool. `of` identifies the owner of the checkpoints. */
  of(of: string, open: Open): Open {
    return async (checkpoint) => {
      const key = JSON.stringify([of, checkpoint?.reference ?? null]);
      const kept = this.#kept.get(key) ?? { policy: open(checkpoint), asking: 0 };
      this.#kept.delete(key);
      this.#kept.set(key, kept);
      kept.asking += 1;
      try {
        return givenBack(await kept.policy, async () => {
          kept.asking -= 1;
          await this.#trim();
        });
      } catch (fault) {
        if (this.#kept.get(key) === kept) this.#kept.delete(key);
        throw fault;
      }
    };
  }

  async close(): Promise<void> {
    const all = [...this.#kept.values()];
    this.#kept.clear();
    await Promise.allSettled(all.map(async ({ policy }) => await (await policy).close()));
  }

  async #trim(): Promise<void> {
    const idle = [...this.#kept].filter(([, { asking }]) => asking === 0);
    const over = idle.slice(0, -mostIdle);
    // Removed before closing, so that no caller gets a policy that is about to be closed.
    for (const [key] of over) this.#kept.delete(key);
    await Promise.all(over.map(async ([, { policy }]) => await (await policy).close()));
  }
}

/** The policy; `close` only returns it. */
function givenBack(policy: Policy, close: () => Promise<void>): Policy {
  const { component, checkpoint, canBeGreedy = true } = policy;
  return { component, checkpoint, canBeGreedy, plan: (request) => policy.plan(request), close };
}

type Decider = Pick<Lab, 'engineer' | 'isByHand' | 'engineerAsks' | 'narrator'>;

export class Station {
  readonly environment: Environment;
  readonly learner: Learner;
  readonly #trainers: Trainers;
  readonly #trainerKnobs: Lab['trainerKnobs'];
  readonly #surroundings: Surroundings;
  /** Opens a policy for engineers that ask it. */
  readonly #snapshotOf: Learner['policyOf'];
  readonly #deciders = new Map<string, Decider>();

  private constructor(
    environment: Environment,
    learner: Learner,
    trainers: Trainers,
    surroundings: Surroundings,
    { trainerKnobs, snapshotOf }: Pick<Lab, 'trainerKnobs'> & { readonly snapshotOf: Learner['policyOf'] },
  ) {
    this.environment = environment;
    this.learner = learner;
    this.#trainers = trainers;
    this.#trainerKnobs = trainerKnobs;
    this.#surroundings = surroundings;
    this.#snapshotOf = snapshotOf;
  }

  /**
   * `snapshots` stay open between arms; null opens each one on request. Throws EnvironmentChanged, and errors of
   * opening the lab of a run.
   */
  static async open(
    { run, settings, history }: Replayed,
    surroundings: Surroundings,
    snapshots: Snapshots | null = null,
  ): Promise<Station> {
    const { open = environmentOf } = surroundings;
    const environment = rememberingTraining(keepingTasks(await open(settings, surroundings)));
    try {
      requireSameEnvironment(history, environment);
      const learner = madeOnce(await learnerOf(settings, environment, surroundings));
      const { threads: _, ...withAllCores } = surroundings;
      return new Station(
        environment,
        learner,
        {
          beside: new LazyTrainer(async () => await trainerOf(settings, environment, surroundings)),
          alone: new LazyTrainer(async () => await trainerOf(settings, environment, withAllCores)),
        },
        surroundings,
        {
          trainerKnobs: trainerKnobsOf(settings.trainer, surroundings.registry),
          snapshotOf: snapshots?.of(run, learner.policyOf) ?? learner.policyOf,
        },
      );
    } catch (fault) {
      await environment.close();
      throw fault;
    }
  }

  /** Shared by all callers. Throws UnknownEngineer, and errors of opening a model or a program. */
  deciderOf(word: EngineerWord): Decider {
    const { environment } = this;
    const learner = { ...this.learner, policyOf: this.#snapshotOf };
    const { entries, registry } = this.#surroundings;
    return getOrCreate(this.#deciders, JSON.stringify(word), () =>
      openDecider(chosenEngineer(word, entries, registry), { environment, learner }, this.#surroundings),
    );
  }

  /** `alone` gives it all cores, for a training without concurrent ones. */
  async trainer(cores: keyof Trainers = 'beside'): Promise<Trainer> {
    return await this.#trainers[cores].open();
  }

  /** For the steps of a run. Steps that ask no engineer or train nothing get placeholders. */
  labOf(word: EngineerWord | null, trainer: Trainer = idle): Lab {
    const { environment, learner } = this;
    const decider = word === null ? placeholderDecider : this.deciderOf(word);
    return { environment, learner, trainer, trainerKnobs: this.#trainerKnobs, ...decider, close: async () => {} };
  }

  async close(): Promise<void> {
    const engineers = Array.from(this.#deciders.values(), ({ engineer }) => engineer.close());
    const trainers = [this.#trainers.beside.close(), this.#trainers.alone.close()];
    await Promise.allSettled([...engineers, ...trainers, this.environment.close()]);
  }
}

/** Several arms request the untrained checkpoint at the same time, and it is written to one file. */
function madeOnce(learner: Learner): Learner {
  const made = new Map<string, ReturnType<Learner['base']>>();
  return { ...learner, base: (folder) => getOrCreate(made, folder, () => learner.base(folder)) };
}

const silent: Engineer = {
  identity: { name: 'none' },
  reads: [],
  propose: async () => {
    throw new Error('this step asks no engineer');
  },
  close: async () => {},
};

const placeholderDecider: Decider = { engineer: silent, isByHand: false, engineerAsks: null, narrator: null };

const idle: Trainer = {
  component: { name: 'none' },
  isReproducible: false,
  // biome-ignore lint/correctness/useYield: it reports no progress
  async *train() {
    throw new Error('this step trains nothing');
  },
  close: async () => {},
};

interface Trainers {
  readonly beside: LazyTrainer;
  readonly alone: LazyTrainer;
}

/** Opens the trainer only when it is needed: asking engineers requires none. */
class LazyTrainer {
  readonly #open: () => Promise<Trainer>;
  #opened: Promise<Trainer> | null = null;

  constructor(open: () => Promise<Trainer>) {
    this.#open = open;
  }

  open(): Promise<Trainer> {
    this.#opened ??= this.#open();
    return this.#opened;
  }

  async close(): Promise<void> {
    await (await this.#opened)?.close();
  }
}
