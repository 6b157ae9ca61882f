// The contract: drawings and prompts, where an environment has them.
import { describe, expect, it } from 'vitest';
import type { Task } from '../environment.ts';
import { type Bench, collected, listed } from './fixture.ts';

export function showing(bench: Bench): void {
  describe('showing', () => {
    const aTask = async (): Promise<Task> => {
      const { generate, start } = bench.environment();
      const { tasks } = await collected(generate({ configuration: start, split: 'train', count: 1, seed: 'shown' }));
      return tasks[0] as Task;
    };

    it('a task is drawn, alone, with any answer, and with what became of it; always the same', async () => {
      const { draw, judge } = bench.environment();
      if (draw === undefined) return;
      const task = await aTask();
      const [wrong] = bench.wrong(task);
      const [verdict] = await listed(judge([{ task, answer: wrong }]));
      const shown = [await draw(task), await draw(task, bench.right(task)), await draw(task, wrong, verdict)];
      for (const { text, svg } of shown) {
        expect(text.trim()).not.toBe('');
        if (svg !== undefined) expect(svg.trim()).toMatch(/^<svg\b(?!.*<script)[\s\S]*<\/svg>$/);
      }
      expect(await draw(task)).toEqual(shown[0]);
      expect(shown[2]?.text).not.toBe(shown[0]?.text);
      for (const strange of [null, '', 7, 'nonsense', [], {}]) expect((await draw(task, strange)).text).not.toBe('');
    });

    it('a policy that reads is told something about a task, always the same', async () => {
      const { prompt } = bench.environment();
      if (prompt === undefined) return;
      const task = await aTask();
      const told = await prompt(task);
      expect(told.trim()).not.toBe('');
      expect(await prompt(task)).toBe(told);
    });
  });
}
