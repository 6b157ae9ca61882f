import { spawn } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { fed } from './harness.ts';

function program(source: string): ReturnType<typeof spawn> {
  return spawn(process.execPath, ['-e', source], { stdio: 'pipe' });
}

/** More than a pipe buffers, so that the writer has to wait for the reader. */
function* long(): Generator<string> {
  for (let i = 0; i < 64; i++) yield 'x'.repeat(65_536);
}

describe('a child process with input', () => {
  it('receives all of it', async () => {
    const counting = `let bytes = 0;
      process.stdin.on('data', (chunk) => { bytes += chunk.length; }).on('end', () => console.log(bytes));`;
    expect(await fed(program(counting), long())).toEqual({ code: 0, stdout: `${64 * 65_536}\n`, stderr: '' });
  });

  it('that ends before it has read everything is reported with its exit code and output', async () => {
    const failing = fed(
      program(`console.error('no space left'); process.exitCode = 3; process.stdin.destroy()`),
      long(),
    );
    await expect(failing).rejects.toThrow('ended before it had read its input: exit code 3\nno space left\n');
  });

  it('that is killed is reported with the signal', async () => {
    const failing = fed(program(`process.kill(process.pid, 'SIGKILL')`), long());
    await expect(failing).rejects.toThrow('ended before it had read its input: signal SIGKILL');
  });
});
