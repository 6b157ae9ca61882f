// The tasks of a generated history: the splits that every run has, and a stock of training lakes, all with prepared attempts.
import type { EventData } from '../../schemas/catalogue.ts';
import type { RunSettings } from '../../schemas/run-file.ts';
import type { Environment, Task, Tasks } from '../../src/lab/environments/environment.ts';
import { Random } from '../../src/lab/random.ts';
import { probePool, seedOf, validationPool } from '../../src/producers/run/pools.ts';
import { Attempts } from './attempts.ts';
import { sharesIn } from './skill.ts';

type Configuration = EventData['ConfigAdopted']['configuration'];

const stocked = 2000;

export class Pools {
  readonly attempts: Attempts;
  readonly validation: readonly Task[];
  readonly probeHoldout: readonly Task[];
  readonly probe: readonly Task[];
  readonly #stock: ReadonlyMap<string, readonly Task[]>;

  private constructor(attempts: Attempts, pools: Pick<Pools, 'validation' | 'probeHoldout' | 'probe'>, stock: Stock) {
    this.attempts = attempts;
    this.validation = pools.validation;
    this.probeHoldout = pools.probeHoldout;
    this.probe = pools.probe;
    this.#stock = stock;
  }

  static async make(environment: Environment, settings: RunSettings): Promise<Pools> {
    const { signal } = new AbortController();
    const { configuration, suites } = settings;
    const validation = await all(validationPool(environment, settings, signal));
    const probeHoldout = await all(probePool(environment, 'probe-holdout', settings, signal));
    const probe = await all(probePool(environment, 'probe', settings, signal));
    const stock = await all(
      environment.generate({ configuration, split: 'train', count: stocked, seed: 'stock', signal }),
    );
    const attempts = new Attempts(environment);
    await attempts.prepare([...validation, ...probeHoldout, ...probe, ...stock]);
    for (const suite of suites) await attempts.prepare(await all(environment.suite(suite)));
    return new Pools(
      attempts,
      { validation, probeHoldout, probe },
      Map.groupBy(stock, ({ family }) => family),
    );
  }

  /** Lakes of the stock, in the shares of each family in a configuration. */
  trainedOn(configuration: Configuration, { trained, seed }: RunSettings, stage: number): readonly Task[] {
    const random = new Random(seedOf(seed, 'trained on', stage), 'tasks');
    const drawn = [...sharesIn(configuration)].flatMap(([family, share]) => {
      const there = this.#stock.get(family) ?? [];
      const count = there.length === 0 ? 0 : Math.round(share * trained);
      return Array.from({ length: count }, () => there[random.below(there.length)] as Task);
    });
    return Array.from({ length: trained }, (_, i) => drawn[i % drawn.length] as Task);
  }
}

type Stock = ReadonlyMap<string, readonly Task[]>;

async function all(tasks: Tasks): Promise<Task[]> {
  const list: Task[] = [];
  for await (const task of tasks) list.push(task);
  return list;
}
