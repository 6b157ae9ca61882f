// An engineer that is a program of somebody else's: one JSON object in, one JSON object out. docs/engineers.md is for who
// writes one.
import { resolve } from 'node:path';
import type { Launch } from '../../programs/child.ts';
import { withoutInvented } from '../citations.ts';
import type { Answer, Asked, Engineer } from '../engineer.ts';
import { EngineerClosed } from '../errors.ts';
import { contextModules } from '../modules.ts';
import { readProposal } from '../proposal-reading.ts';
import { failureOf } from './failing.ts';
import { questionFor } from './question.ts';
import { type Limits, type Ran, Running } from './running.ts';

export interface CommandEngineerOptions extends Partial<Limits> {
  /** The program and its arguments; no shell reads them. They are recorded: a secret belongs into the environment. */
  readonly command: Launch['command'];
  /** Its working folder; where this process stands, unless told otherwise. */
  readonly folder?: string;
}

/** Ten minutes to decide: it may ask a model. */
export const usualLimits: Limits = { timeoutMs: 600_000, graceMs: 5000 };

export function openCommandEngineer(options: CommandEngineerOptions): Engineer {
  const { command, folder = '.', timeoutMs = usualLimits.timeoutMs, graceMs = usualLimits.graceMs } = options;
  const launch = { command, folder: resolve(folder) };
  const closing = new AbortController();
  const running = new Set<Running>();
  return {
    identity: { name: 'command', version: '1', reads: [...contextModules], parameters: { command } },
    reads: contextModules,

    propose: async (asked) => {
      const signal = AbortSignal.any([closing.signal, ...(asked.signal === undefined ? [] : [asked.signal])]);
      signal.throwIfAborted();
      const program = new Running(launch, { timeoutMs, graceMs }, questionFor(asked));
      running.add(program);
      const stop = (): void => program.stop();
      signal.addEventListener('abort', stop, { once: true });
      try {
        const ran = await program.over;
        signal.throwIfAborted();
        return answerOf(ran, asked, timeoutMs);
      } finally {
        signal.removeEventListener('abort', stop);
        running.delete(program);
      }
    },

    close: async () => {
      closing.abort(new EngineerClosed('command'));
      await Promise.all(Array.from(running, ({ over }) => over));
    },
  };
}

function answerOf(ran: Ran, { descriptor, current, context }: Asked, timeoutMs: number): Answer {
  const { printed } = ran;
  const raw = printed === '' ? null : { text: printed.toWellFormed() };
  const failure = failureOf(ran, timeoutMs);
  if (failure !== null) return { rejected: { ...failure, issues: [...failure.issues], raw } };
  const labels = context?.labels ?? new Set<string>();
  // What the environment itself has to say about a configuration is asked where it is known.
  const read = readProposal(printed, { descriptor, current, labels, check: () => [] });
  if ('reason' in read) return { rejected: { ...read, issues: [...read.issues], raw } };
  return { proposal: withoutInvented(read.content, labels) };
}
