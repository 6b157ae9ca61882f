import { describe, expect, it, onTestFinished } from 'vitest';
import type { Sink } from '../../src/base/sink.ts';
import { createContext } from '../../src/cli/context.ts';
import type { Io } from '../../src/cli/io.ts';
import { figuresIn, figureText, shareText } from '../../src/document/index.ts';
import type { Budget, Point } from '../../src/lab/trainers/trainer.ts';
import { Pace, Watch } from './watch.ts';

function point(step: number, agentSteps: number, values: Point['values'] = { reward: 0.5 }): Point {
  return { step, spent: { 'agent-steps': agentSteps }, values };
}

/** A watch with a clock of the test, and its output. */
function watching(isTTY: boolean, { budget = { 'agent-steps': 1000 } as Budget, isBegun = false } = {}) {
  let now = 0;
  const written: string[] = [];
  const sink: Sink = {
    isTTY,
    columns: 60,
    write: async (text) => void written.push(String(text)),
  };
  const pipe: Sink = { ...sink, isTTY: false };
  const io = { stdout: pipe, stderr: sink, env: {}, cwd: '/', signal: new AbortController().signal } as unknown as Io;
  const watch = new Watch(
    createContext(io, { json: false, quiet: false }, async () => 0),
    budget,
    isBegun,
    () => now,
  );
  onTestFinished(() => watch.end());
  const at = async (seconds: number, next: Point): Promise<void> => {
    now = 1000 * seconds;
    await watch.take({ kind: 'point', point: next });
  };
  return { watch, at, written };
}

describe('a watched training', () => {
  it('prints its first line within seconds and further ones occasionally, without a terminal', async () => {
    const { at, written } = watching(false);
    for (let second = 1; second <= 15; second++) {
      await at(second, point(second, 20 * second, { valid: 0.123, reward: 0.15, kl: 0.02, signal: 0.5, 'valid/8': 0 }));
    }
    const figures = 'valid 12 %, reward 0.15, KL 0.02, learning signal 50 %';
    expect(written).toEqual([
      `update 2, 40 of 1,000 agent-steps, 4 %, 20/s, about 48.0 s left: ${figures}\n`,
      `update 12, 240 of 1,000 agent-steps, 24 %, 20/s, about 38.0 s left: ${figures}\n`,
    ]);
  });

  it('is redrawn at most ten times a second on a terminal', async () => {
    const { at, written } = watching(true);
    await at(1, point(1, 100));
    await at(1.05, point(2, 200));
    await at(1.2, point(3, 300));
    const drawn = written.map((text) => /update \d+|no update yet/.exec(text)?.[0]);
    expect(drawn).toEqual(['no update yet', 'update 1', 'update 3']);
  });

  it('measures its pace since it was resumed, not what was spent before', () => {
    let now = 0;
    const pace = new Pace({ 'agent-steps': 1000 }, true, () => now);
    now = 5000;
    pace.take(point(50, 500));
    expect([pace.perSecond, pace.left, pace.done]).toEqual([{}, null, 0.5]);
    now = 6000;
    pace.take(point(60, 600));
    expect([pace.perSecond, pace.left, pace.done]).toEqual([{ 'agent-steps': 100 }, 4, 0.6]);
  });

  it('shows the elapsed time if its budget is unknown', async () => {
    const { at, written } = watching(false, { budget: { updates: 5 } });
    await at(3, { step: 1, values: { loss: { value: null, reason: 'NaN' } } });
    expect(written).toEqual(['update 1, 3.0 s: loss none\n']);
  });

  it('measures progress by the unit of its budget that is used up most', () => {
    const pace = new Pace({ updates: 10, tokens: 1000 }, false, () => 2000);
    pace.take({ spent: { updates: 1, tokens: 900 } });
    expect(pace.done).toBe(0.9);
  });
});

describe('figures', () => {
  it('are listed in a useful order, without those of single families', () => {
    const points = [point(1, 1, { loss: 1, kl: 2 }), point(2, 2, { valid: 0, 'valid/3': 0, 'signal/3': 1 })];
    expect(figuresIn(points).map(({ label }) => label)).toEqual(['valid', 'KL', 'loss']);
  });

  it.each([
    [shareText(0), '0 %'],
    [shareText(0.00123), '0.12 %'],
    [shareText(0.0994), '9.9 %'],
    [shareText(0.0996), '10 %'],
    [shareText(0.4567), '46 %'],
    [shareText(1), '100 %'],
    [figureText({ isShare: false }, 0.123456), '0.123'],
    [figureText({ isShare: false }, 1234.5), '1230'],
    [figureText({ isShare: false }, -0.00001), '-0.00001'],
    [figureText({ isShare: false }, { value: null, reason: 'NaN' }), 'none'],
    [figureText({ isShare: false }, undefined), ''],
  ])('%s', (text, expected) => {
    expect(text).toBe(expected);
  });
});
