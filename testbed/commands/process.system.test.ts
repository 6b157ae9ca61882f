// The lake's filters as processes: in pipes, stopped, and killed.
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it, onTestFinished } from 'vitest';
import { bin, collected, lines, shell, temporaryFolder } from '../../src/cli/testing/harness.ts';
import { crossing, endless, line, randomLines } from './testing/lines.ts';

const plan = ['RRDD', 'UU'];
/** More than the default effort, so that threads spend it and never finish. */
const muchEffort = ['--effort', String(1e15)];

function start(...argv: readonly string[]) {
  const child = spawn(process.execPath, [bin, 'lake', ...argv], { cwd: temporaryFolder(), stdio: 'pipe' });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const read = async (): Promise<unknown> => JSON.parse((await answers.next()).value as string);
  /** Writes one line, and reads one before writing the next. */
  const ask = (text: string): Promise<unknown> => {
    child.stdin.write(text);
    return read();
  };
  return { child, read, ask, ended: collected(child) };
}

describe('a program that waits for each answer', () => {
  it.each([[[]], [['--jobs', '1']], [muchEffort]])('gets it before it writes the next line: %j', async (options) => {
    const { child, ask, ended } = start('judge', ...options);
    for (let i = 0; i < 20; i++) {
      expect(await ask(line({ ...crossing, id: `${i}` }, { plan }))).toMatchObject({ id: `${i}`, outcome: 'valid' });
    }
    expect(await ask('nonsense\n')).toMatchObject({ error: { line: 21 } });
    child.stdin.end();
    expect((await ended).code).toBe(1);
  });

  it('gets a batch of answers for a batch of lines, of any size, before the input ends', async () => {
    const { child, read, ended } = start('solve');
    const input = randomLines(900, 'batches');
    for (const [from, to] of [
      [0, 2],
      [2, 300],
      [300, 301],
      [301, 900],
    ] as const) {
      child.stdin.write(input.slice(from, to).join(''));
      for (let i = from; i < to; i++) expect(await read()).toMatchObject({ id: `lake-${i}` });
    }
    child.stdin.end();
    expect((await ended).code).toBe(0);
  });
});

describe('Ctrl-C', () => {
  it('ends a waiting filter', async () => {
    const { child, ask, ended } = start('judge');
    await ask(line(crossing, { plan }));
    child.kill('SIGINT');
    expect(await ended).toMatchObject({ code: 130, stderr: 'icecore: stopped by SIGINT\n' });
  });

  it('ends a filter during an endless instance', async () => {
    const { child, ask, ended } = start('solve', ...muchEffort, '--json');
    await ask(line(crossing));
    child.stdin.write(line(endless));
    child.kill('SIGTERM');
    const { code, stdout } = await ended;
    expect(code).toBe(143);
    expect(lines(stdout).map((text) => Object.keys(JSON.parse(text)))).toEqual([expect.any(Array), ['error']]);
  });
});

describe('a generator of many lakes', () => {
  it('ends at Ctrl-C', async () => {
    const { child, read, ended } = start('generate', '--count', '1000000');
    expect(await read()).toMatchObject({ id: 'train-0' });
    child.kill('SIGINT');
    expect(await ended).toMatchObject({ code: 130, stderr: 'icecore: stopped by SIGINT\n' });
  });

  it('ends when its reader is gone', async () => {
    const script = 'set -o pipefail; icecore lake generate --count 1000000 | icecore lake solve | head -n 1';
    const ran = await shell(script, temporaryFolder());
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(ran.stdout)).toMatchObject({ id: 'train-0', solvable: true });
  });
});

describe('a pipe', () => {
  it('ends quietly when its reader has read enough', async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'lakes.ndjson'), randomLines(3000, 'pipe').join(''));
    const ran = await shell('set -o pipefail; icecore lake solve lakes.ndjson | head -n 2', cwd);
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(lines(ran.stdout)).toHaveLength(2);
    const endlessly = 'set -o pipefail; yes nonsense | icecore lake judge 2> said | head -n 5000 | tail -n 1';
    expect(JSON.parse((await shell(endlessly, cwd)).stdout)).toMatchObject({ error: { line: 5000 } });
  });
});
