// The output of a run in progress.
import { describe, expect, it } from 'vitest';
import { descriptor } from '../../../testbed/lake/configuration.ts';
import { emptyHistory } from '../../producers/history/run-history.ts';
import { tinySettings } from '../../producers/run/testing/tiny.ts';
import { createContext } from '../context.ts';
import { RunWatch } from './watch.ts';

function watching(terminal: number | undefined): { readonly watch: RunWatch; readonly seen: () => string } {
  let said = '';
  const sink = (isTTY: boolean) => ({
    isTTY,
    columns: terminal ?? 80,
    write: async (text: string | Uint8Array) => {
      said += String(text);
    },
  });
  const io = {
    stdin: process.stdin,
    stdout: sink(false),
    stderr: sink(terminal !== undefined),
    env: {},
    cwd: '/',
    signal: new AbortController().signal,
  };
  const flags = { json: false, quiet: false };
  const context = createContext(io, flags as Parameters<typeof createContext>[1], async () => 0);
  const watch = new RunWatch(context, { settings: tinySettings(), descriptor, history: emptyHistory('tiny00000000') });
  return { watch, seen: () => said };
}

const point = (decisions: number, valid: number) =>
  ({
    kind: 'training',
    stage: 1,
    progress: { kind: 'point', point: { step: 1, spent: { 'agent-steps': decisions }, values: { valid } } },
  }) as const;

describe('a run in progress', () => {
  it('prints its settings once, and draws its progress on a terminal until it ends', async () => {
    const { watch, seen } = watching(80);
    await watch.onProgress({ kind: 'step', step: { do: 'train', stage: 1 } });
    expect(seen().match(/tiny: lake, 2 stages of 800 agent-steps, engineer rules/g)).toHaveLength(1);
    await watch.onProgress(point(400, 0.5));
    expect(seen()).toContain('stage 1 of 2: training');
    await watch.end();
    expect(seen().endsWith('\u001b[J')).toBe(true);
  });

  it('labels the figures of the curve as measured on training tasks', async () => {
    const { watch, seen } = watching(80);
    await watch.onProgress(point(400, 0.5));
    expect(seen()).toContain('valid on training tasks');
    expect(seen()).toContain('stage 1 of 2: training (on training tasks: valid 50 %)');
    await watch.end();
  });

  it('reports that it waits for the first rollouts', async () => {
    const { watch, seen } = watching(80);
    await watch.onProgress({ kind: 'rollouts', stage: 1, of: 'evidence on probe tasks', done: 0 });
    expect(seen()).toContain('stage 1 of 2: evidence on probe tasks, waiting for the first rollouts');
    await watch.end();
  });

  it('draws nothing without a terminal', async () => {
    const { watch, seen } = watching(undefined);
    await watch.onProgress(point(400, 0.5));
    await watch.end();
    expect(seen()).toBe(
      'tiny: lake, 2 stages of 800 agent-steps, engineer rules, context training,stats,behaviour,failures,history, seed 1\n',
    );
  });
});
