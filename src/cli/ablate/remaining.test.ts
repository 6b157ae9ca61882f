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

it('the remaining time counts only the time since the first arm began', () => {
  const { time, wait } = remaining();
  wait(500);
  expect(time.seconds(3)).toBe(null);
  time.begin(taskOf('a'));
  wait(10);
  time.end(taskOf('a'));
  expect(time.seconds(2)).toBe(20);
});

it('the remaining time accounts for arms that run in parallel and for their progress', () => {
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

it('the remaining time assumes that as many of the remaining arms share a training as of the finished ones', () => {
  const { time, wait } = remaining();
  time.end(taskOf('recorded before'));
  time.begin(taskOf('a'));
  wait(10);
  time.end(taskOf('a'));
  time.end(taskOf('same as a'));
  expect(time.seconds(4)).toBe(20);
});
