import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Child, type End, type Launch } from './child.ts';
import { allowed } from './testing/allowed.ts';
import { isRunning } from './testing/running.ts';

interface Ran {
  readonly child: Child;
  readonly said: string[];
  readonly asides: string[];
  readonly ended: Promise<End>;
  /** Resolves when it has printed this. */
  saying(line: string): Promise<void>;
}

function run(code: string, protocol: Launch['protocol'] = 'reports'): Ran {
  const said: string[] = [];
  const asides: string[] = [];
  const end = Promise.withResolvers<End>();
  const child = new Child(
    { program: allowed(['sh', '-c', code]), variables: {}, lineBytes: 1000, protocol },
    { line: (text) => void said.push(text), aside: (text) => void asides.push(text), end: end.resolve },
  );
  onTestFinished(() => child.kill());
  const saying = (line: string): Promise<void> => vi.waitFor(() => expect(said).toContain(line), 10_000);
  return { child, said, asides, ended: end.promise, saying };
}

const lineIn = (said: readonly string[], start: string): string =>
  said.find((line) => line.startsWith(start))?.slice(start.length) ?? '';

describe('a program that reports', () => {
  it('may close its input and output and continue', async () => {
    const { child, said, asides, ended } = run('exec 0<&-; echo heard; exec 1>&-; echo overheard >&2; exit 3');
    child.write('x'.repeat(1e6));
    expect(await ended).toEqual({ kind: 'exit', code: 3, signal: null });
    expect(said).toEqual(['heard']);
    expect(asides.join('')).toBe('overheard\n');
  });

  it('may print binary data and endless lines', async () => {
    const { said, ended } = run(`printf '\\377\\n'; printf 'last'`);
    await ended;
    expect(said).toEqual(['\ufffd', 'last']);
  });
});

describe('a program that is asked to exit', () => {
  it('may clean up, and its output is reported', async () => {
    const { child, said, ended, saying } = run(
      `trap 'echo saved; exit 4' TERM; echo ready; while :; do sleep 0.01; done`,
    );
    await saying('ready');
    child.terminate(60_000);
    expect(await ended).toEqual({ kind: 'exit', code: 4, signal: null });
    expect(said).toEqual(['ready', 'saved']);
  });

  it('gives processes it started the rest of the grace period', async () => {
    const inner = `trap 'sleep 0.2; echo saved; exit' TERM; echo ready; while :; do sleep 0.01; done`;
    const { child, said, ended, saying } = run(`sh -c "${inner}"; echo never`);
    await saying('ready');
    child.terminate(60_000);
    expect(await ended).toMatchObject({ kind: 'exit', signal: 'SIGTERM' });
    expect(said).toEqual(['ready', 'saved']);
  });

  it('is killed with all processes it started if it does not exit', async () => {
    const { child, said, ended, saying } = run(
      `trap '' TERM; sleep 1000 & echo "child $!"; echo "own $$"; echo ready; while :; do sleep 0.01; done`,
    );
    await saying('ready');
    child.terminate(50);
    expect(await ended).toMatchObject({ kind: 'exit', code: null, signal: 'SIGKILL' });
    const pids = ['child ', 'own '].map((start) => Number(lineIn(said, start)));
    await vi.waitFor(() => expect(pids.map(isRunning)).toEqual([false, false]));
  });
});
