// The terminal the prompt talks to, as the process has it.
import type { Io } from '../../io.ts';
import { paintFor } from '../../output/paint.ts';
import type { Screen } from './canvas.ts';
import type { Keys } from './keyboard.ts';

export interface Terminal {
  readonly input: Keys;
  readonly output: Screen;
  /** Can do nothing but print. */
  readonly isDumb: boolean;
  readonly paint: (prompt: string) => string;
  /** Calls back whenever the terminal is made wider or narrower, until what it returns is called. */
  onResize(listener: () => void): () => void;
  /** Gives the terminal back to the shell, and resolves when the program goes on. */
  suspend(): Promise<void>;
}

export interface Surroundings {
  readonly terminal: Terminal;
  /** Where what was asked is kept for the next time; null for nowhere. */
  readonly historyFile: string | null;
  /** Asks the program to end. */
  readonly signal: AbortSignal;
  /** Tells a fault to the person at the terminal. */
  tell(fault: unknown): Promise<void>;
}

export function terminalOf(io: Io): Terminal {
  const { stdout } = io;
  const output: Screen = Object.create(stdout, { rows: { get: () => process.stdout.rows } });
  return {
    input: io.stdin,
    output,
    isDumb: io.env['TERM'] === 'dumb',
    paint: paintFor(stdout, io.env).cyan,
    onResize(listener) {
      process.stdout.on('resize', listener);
      return () => process.stdout.off('resize', listener);
    },
    suspend,
  };
}

/** Where no shell does job control the signal is ignored, and nothing would say so: then the prompt goes on by itself. */
function suspend(): Promise<void> {
  if (process.platform === 'win32') return Promise.resolve();
  return new Promise((resolve) => {
    const goOn = (): void => {
      clearTimeout(patience);
      process.off('SIGCONT', goOn);
      resolve();
    };
    const patience = setTimeout(goOn, 100);
    process.on('SIGCONT', goOn);
    process.kill(process.pid, 'SIGTSTP');
  });
}
