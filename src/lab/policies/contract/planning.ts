// The contract: what a plan follows from, and the order in which plans come.
import { describe, expect, it } from 'vitest';
import { answersOf, type Bench, lasting, plansOf } from './fixture.ts';

export function planning(bench: Bench): void {
  describe('planning', () => {
    it('there is a plan a task and sample, in the order of tasks and then of samples', async () => {
      const tasks = bench.tasks();
      const planned = await plansOf(bench.policy(), { tasks, samples: 3 });
      const expected = tasks.flatMap((task) => [0, 1, 2].map((sample) => ({ task, sample })));
      expect(planned.map(({ task, sample }) => ({ task, sample }))).toEqual(expected);
      expect((await plansOf(bench.policy(), { tasks })).map(({ task, sample }) => ({ task, sample }))).toEqual(
        tasks.map((task) => ({ task, sample: 0 })),
      );
    });

    it('without tasks or samples there are none', async () => {
      expect(await plansOf(bench.policy(), { tasks: [] })).toEqual([]);
      expect(await plansOf(bench.policy(), { tasks: bench.tasks(), samples: 0 })).toEqual([]);
    });

    it('the same request gives the same plans, here and from another policy of the kind', async () => {
      const request = { tasks: bench.tasks(), samples: 2 };
      const once = (await plansOf(bench.policy(), request)).map(lasting);
      expect((await plansOf(bench.policy(), request)).map(lasting)).toEqual(once);
      expect((await plansOf(await bench.another(), request)).map(lasting)).toEqual(once);
    });

    it('a plan does not depend on what is planned before, after or together with it', async () => {
      const tasks = bench.tasks();
      const together = (await plansOf(bench.policy(), { tasks })).map(lasting);
      const backwards = (await plansOf(bench.policy(), { tasks: [...tasks].reverse() })).map(lasting);
      expect(backwards.reverse()).toEqual(together);
      const alone = [];
      for (const task of tasks) alone.push(...(await plansOf(bench.policy(), { tasks: [task] })));
      expect(alone.map(lasting)).toEqual(together);
      const twice = (await plansOf(bench.policy(), { tasks: [...tasks, ...tasks] })).map(lasting);
      expect(twice).toEqual([...together, ...together]);
    });

    it('a sample does not depend on how many there are', async () => {
      const tasks = bench.tasks();
      const few = (await plansOf(bench.policy(), { tasks, samples: 2 })).map(lasting);
      const more = (await plansOf(bench.policy(), { tasks, samples: 5 })).filter(({ sample }) => sample < 2);
      expect(more.map(lasting)).toEqual(few);
    });

    it('two requests read by turns do not disturb each other', async () => {
      const tasks = bench.tasks();
      const requests = [
        { tasks, seed: 'first' },
        { tasks: [...tasks].reverse(), seed: 'second' },
      ];
      const alone = await Promise.all(requests.map((request) => plansOf(bench.policy(), request)));
      const running = requests.map((request) => bench.policy().plan(request));
      const byTurns = requests.map((): unknown[] => []);
      for (let i = 0; i < tasks.length; i++) {
        for (const [j, plans] of running.entries()) {
          const next = await plans.next();
          if (next.done !== true) byTurns[j]?.push(lasting(next.value));
        }
      }
      expect(byTurns).toEqual(alone.map((planned) => planned.map(lasting)));
    });

    it(`another seed and another sample give ${bench.draws === 'same' ? 'the same plans' : 'other plans'}`, async () => {
      const tasks = bench.tasks();
      const first = answersOf(await plansOf(bench.policy(), { tasks }));
      const seconds = answersOf(await plansOf(bench.policy(), { tasks, seed: 'second' }));
      const samples = await plansOf(bench.policy(), { tasks, samples: 2 });
      const later = answersOf(samples.filter(({ sample }) => sample === 1));
      if (bench.draws === 'same') expect([seconds, later]).toEqual([first, first]);
      else for (const others of [seconds, later]) expect(others).not.toEqual(first);
    });

    it.runIf(bench.knowsBest)('greedy plans depend on neither seed nor sample', async () => {
      const tasks = bench.tasks();
      const best = answersOf(await plansOf(bench.policy(), { tasks, greedy: true }));
      expect(answersOf(await plansOf(bench.policy(), { tasks, greedy: true, seed: 'second' }))).toEqual(best);
      const samples = await plansOf(bench.policy(), { tasks, greedy: true, samples: 2 });
      expect(answersOf(samples)).toEqual(best.flatMap((answer) => [answer, answer]));
    });
  });
}
