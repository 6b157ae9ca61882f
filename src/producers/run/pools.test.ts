// The pools that a run is evaluated on: the same at every stage, and representative of the run.
import { describe, expect, it } from 'vitest';
import { openLake } from '../../../testbed/lake/environment.ts';
import type { Environment, Task, Tasks } from '../../lab/environments/environment.ts';
import { probePool, validationPool } from './pools.ts';
import { tinySettings } from './testing/tiny.ts';

const signal = new AbortController().signal;

async function tasksOf(tasks: Tasks): Promise<readonly Task[]> {
  const all: Task[] = [];
  for await (const task of tasks) all.push(task);
  return all;
}

const none: readonly Task[] = [];

/** An environment that records its requests and generates nothing. */
function telling(environment: Environment): { readonly asked: object[]; readonly environment: Environment } {
  const asked: object[] = [];
  const tell = async function* ({ configuration }: { configuration: object }): Tasks {
    asked.push(configuration);
    yield* none;
    return [];
  };
  return { asked, environment: { ...environment, generate: tell, probe: tell } };
}

describe('the pools of a run', () => {
  const lake = openLake();
  const three = { ...tinySettings().configuration, agents: 3 };

  it('have the number of agents that the run trains with', async () => {
    const settings = { ...tinySettings(), configuration: three, validation: 4 };
    const tasks = await tasksOf(validationPool(lake, settings, signal));
    expect(tasks.map(({ facts }) => facts['agents'])).toEqual([3, 3, 3, 3]);
  });

  it("have all families of the environment's start configuration, whatever the run starts with", async () => {
    const { asked, environment } = telling(lake);
    const settings = { ...tinySettings(), configuration: three };
    await tasksOf(validationPool(environment, settings, signal));
    await tasksOf(probePool(environment, 'probe', settings, signal));
    expect(asked).toEqual([
      { ...lake.start, agents: 3 },
      { ...lake.start, agents: 3 },
    ]);
  });

  it('use the start configuration if the environment has no probe pool', async () => {
    const { asked, environment } = telling(lake);
    const { NotUnderstood } = await import('../../lab/environments/command/faults.ts');
    const refusing = {
      ...environment,
      probe: (): Tasks => {
        throw new NotUnderstood('lake', 'probe', []);
      },
    };
    await tasksOf(probePool(refusing, 'probe-holdout', tinySettings(), signal));
    expect(asked).toEqual([{ ...lake.start }]);
  });
});
