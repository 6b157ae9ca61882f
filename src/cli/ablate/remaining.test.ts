import { expect, it } from 'vitest';
import { RemainingTime } from './remaining.ts';

type Task = Parameters<RemainingTime['begin']>[0];

function taskOf(arm: string): Task {
  return { arm: { arm }, unit: { unit: 'seed 1' }, stage: 1 } as unknown as Task;
}

function remaining(): { time: RemainingTime; wait: (seconds: number) => void } {
  let now = 0;
  return {
    time: new RemainingTime(() => now),
    wait: (seconds) => {
      now += 1000 * seconds;
    },
  };
}

it('counts what the arms took, not what came before the first of them', () => {
  const { time, wait } = remaining();
  wait(500);
  expect(time.seconds(3)).toBe(null);
  time.begin(taskOf('a'));
  wait(10);
  time.end(taskOf('a'));
  expect(time.seconds(2)).toBe(20);
});

it('takes into account that several work at the same time, and how long they have', () => {
  const { time, wait } = remaining();
  for (const arm of ['a', 'b']) time.begin(taskOf(arm));
  wait(10);
  time.end(taskOf('a'));
  time.begin(taskOf('c'));
  // b is about done, c and three others take 10 s each, two at a time.
  expect(time.seconds(5)).toBe(20);
  wait(5);
  expect(time.seconds(5)).toBe(17.5);
});

it('takes as many of the rest to share a training as of those that are done', () => {
  const { time, wait } = remaining();
  time.end(taskOf('recorded before'));
  time.begin(taskOf('a'));
  wait(10);
  time.end(taskOf('a'));
  time.end(taskOf('same as a'));
  expect(time.seconds(4)).toBe(20);
});
