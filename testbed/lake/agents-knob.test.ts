import { describe, expect, it } from 'vitest';
import { contradictions } from '../../schemas/contradictions.ts';
import { collected } from '../../src/lab/environments/contract/tasks.ts';
import { BadConfiguration } from '../../src/lab/environments/environment.ts';
import { openLake } from './environment.ts';

const lake = openLake({ knobs: ['agents'] });
const plain = openLake();
const withAgents = (agents: unknown) => ({ ...lake.start, agents });

describe('the lake with the number of agents as a knob', () => {
  it('lists the number of agents before the knobs of the sizes, and changes nothing else', () => {
    const [agents, ...others] = lake.descriptor.knobs;
    expect(agents).toMatchObject({ name: 'agents', path: ['agents'], family: null, step: 1, integer: true });
    expect({ ...lake.descriptor, knobs: others }).toEqual(plain.descriptor);
    expect(contradictions(lake.descriptor, '')).toEqual([]);
    expect(lake.start).toEqual(plain.start);
    expect(openLake({ knobs: [] }).descriptor).toBe(plain.descriptor);
  });

  it('accepts 2 to 5 agents; without the knob it accepts 1 to 6', async () => {
    for (const agents of [2, 3, 4, 5]) expect(lake.check(withAgents(agents))).toEqual([]);
    for (const agents of [1, 6, 2.5, '3', undefined]) {
      expect(lake.check(withAgents(agents))).toMatchObject([
        { field: 'agents', allowed: 'a whole number from 2 to 5' },
      ]);
      const tasks = lake.generate({ configuration: withAgents(agents), split: 'train', count: 1, seed: 'a' });
      await expect(tasks.next()).rejects.toThrow(BadConfiguration);
    }
    for (const agents of [1, 6]) expect(plain.check(withAgents(agents))).toEqual([]);
  });

  it.each([2, 3, 4, 5])('makes, judges and draws the same lakes for %i agents as without the knob', async (agents) => {
    const request = { configuration: withAgents(agents), split: 'train', count: 16, seed: 'a' } as const;
    const { tasks, shortages } = await collected(lake.generate(request));
    expect({ tasks, shortages }).toEqual(await collected(plain.generate(request)));
    expect(new Set(tasks.map(({ facts }) => facts?.['agents']))).toEqual(new Set([agents]));
    const tries = tasks.map((task) => ({ task, answer: Array.from({ length: agents }, () => 'W') }));
    const outcomes: unknown[] = [];
    for await (const verdict of lake.judge(tries)) outcomes.push(verdict);
    expect(outcomes).toHaveLength(tasks.length);
    for (const task of tasks.slice(0, 2)) expect((await lake.draw?.(task))?.text).toContain('abcde'[agents - 1]);
  });
});
