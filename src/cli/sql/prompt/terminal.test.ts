// The prompt in a real pseudo terminal.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../../testing/harness.ts';

const program = fileURLToPath(new URL('./testing/program.ts', import.meta.url));

/** Python has pseudo terminals, Node has none. Prints the exit code of the program and, before that, what it says. */
const within = `
import os, pty, sys
status = pty.spawn(sys.argv[1:])
print("code", os.waitstatus_to_exitcode(status))
`;

const canSpawn = spawnSync('python3', ['-c', 'import pty, os; os.waitstatus_to_exitcode']).status === 0;

class Terminal {
  readonly #child: ChildProcess;
  #seen = '';
  /** Everything that it printed. */
  all = '';
  #more = Promise.withResolvers<void>();

  constructor(historyFile: string, env: Readonly<Record<string, string>> = {}) {
    const words = ['-c', within, process.execPath, program, historyFile];
    this.#child = spawn('python3', words, { env: { ...process.env, ...env }, stdio: ['pipe', 'pipe', 'inherit'] });
    this.#child.stdout?.on('data', (chunk) => {
      this.#seen += String(chunk);
      this.all += String(chunk);
      this.#turn();
    });
    this.#child.on('close', () => this.#turn());
    onTestFinished(() => void this.#child.kill());
  }

  type(keys: string): void {
    this.#child.stdin?.write(keys);
  }

  /** Resolves when the text appears after the texts of the earlier calls. */
  async until(text: string): Promise<void> {
    while (!this.#seen.includes(text)) {
      if (this.#child.exitCode !== null) throw new Error(`ended without ${JSON.stringify(text)}: ${this.#seen}`);
      await this.#more.promise;
    }
    this.#seen = this.#seen.slice(this.#seen.indexOf(text) + text.length);
  }

  #turn(): void {
    this.#more.resolve();
    this.#more = Promise.withResolvers();
  }
}

describe.skipIf(!canSpawn)('the SQL prompt in a pseudo terminal (skipped without Python)', () => {
  it('stops the statement at Ctrl-C, runs what was typed meanwhile, and exits at Ctrl-D', async () => {
    const terminal = new Terminal(join(temporaryFolder(), 'history'));
    await terminal.until('icecore> ');
    terminal.type('select endless;\r');
    await terminal.until('asked select endless;');
    terminal.type('\u0003select 2;\rselect\r3;\r');
    await terminal.until('stopped');
    await terminal.until('asked select 2;');
    await terminal.until('asked select\r\n3;');
    terminal.type('\u0004');
    await terminal.until('code 0');
  });

  it('saves a statement to the history before it runs', async () => {
    const historyFile = join(temporaryFolder(), 'history');
    const terminal = new Terminal(historyFile);
    await terminal.until('icecore> ');
    terminal.type('select\rendless;\r');
    await terminal.until('asked select');
    const next = new Terminal(historyFile);
    await next.until('icecore> ');
    next.type('\u001b[A\r');
    await next.until('asked select\r\nendless;');
    expect(readFileSync(historyFile, 'utf8')).toBe('"select\\nendless;"\n');
  });

  it('prints no escape sequences to a dumb terminal', async () => {
    const terminal = new Terminal(join(temporaryFolder(), 'history'), { TERM: 'dumb' });
    await terminal.until('icecore> ');
    terminal.type('select 1;\r');
    await terminal.until('asked select 1;\r\nicecore> ');
    terminal.type('.exit\r');
    await terminal.until('code 0');
    expect(terminal.all).not.toContain('\u001b');
  });
});
