// The one question before anything of somebody else's is used: asked on a terminal, answered with no by everything but a plain yes.
import { createInterface } from 'node:readline';
import type { Io } from '../io.ts';
import { Consents } from './consents.ts';
import { beginnings, linesOfQuestion, type Question } from './legible.ts';
import { Untrusted } from './untrusted.ts';

type Terminal = Pick<Io, 'stdin' | 'stderr' | 'signal'>;

/** Whether a person is at both ends of the terminal. */
export function canAsk({ stdin, stderr }: Pick<Io, 'stdin' | 'stderr'>): boolean {
  return stdin.isTTY === true && stderr.isTTY;
}

/** With their number, so that nothing that scrolled away goes unnoticed. */
export function these(count: number): string {
  return count > 1 ? `these ${count} requests` : 'this';
}

/**
 * Shows what is asked for and the question on standard error, whatever else is silenced, and reads one line. Throws the
 * reason of a signal that stops it.
 */
export async function askYesNo(terminal: Terminal, asked: readonly Question[], question: string): Promise<boolean> {
  const { stdin, stderr, signal } = terminal;
  signal.throwIfAborted();
  const lines = [...linesOfQuestion(asked, stderr), ...beginnings(asked, stderr)];
  await stderr.write(`${lines.map((line) => `${line}\n`).join('')}${question} [y/N] `);
  const reader = createInterface({ input: stdin, terminal: false });
  const stop = (): void => reader.close();
  signal.addEventListener('abort', stop, { once: true });
  try {
    const answer = await new Promise<string>((resolve) => {
      reader.once('line', resolve);
      reader.once('close', () => resolve(''));
    });
    signal.throwIfAborted();
    return /^\s*(?:y|yes)\s*$/i.test(answer);
  } finally {
    signal.removeEventListener('abort', stop);
    reader.close();
    stdin.pause();
  }
}

/**
 * Does it, and where it needs what this user has not allowed, asks on a terminal and does it once more. What throws
 * Untrusted throws it before it writes, sends or executes anything, so that it can be done again.
 */
export async function withConsent<Result>(io: Io, body: () => Promise<Result>): Promise<Result> {
  const asked = new Set<string>();
  for (;;) {
    try {
      return await body();
    } catch (fault) {
      if (!(fault instanceof Untrusted) || !canAsk(io)) throw fault;
      if (fault.consents.length === 0 || asked.has(fault.message)) throw fault;
      asked.add(fault.message);
      const { heading, allowed: requests } = fault;
      const isAllowed = await askYesNo(
        io,
        [{ heading, requests }],
        `Allow ${these(requests.length)}, now and from now on?`,
      );
      if (!isAllowed) throw fault;
      const consents = new Consents(io.env);
      for (const consent of fault.consents) consents.give(consent);
    }
  }
}
