// An engineer that is a program of somebody else's: one JSON object in, one JSON object out. docs/engineers.md is for who
// writes one.
import type { AllowedProgram, CommandWords } from '../../programs/allowed.ts';
import { nameOf, programName } from '../../programs/name.ts';
import { withoutInvented } from '../citations.ts';
import type { Answer, Asked, Engineer } from '../engineer.ts';
import { EngineerClosed, EngineerFailed } from '../errors.ts';
import { contextModules } from '../modules.ts';
import { readProposal } from '../proposal-reading.ts';
import { failureOf, nothingReadable } from './failing.ts';
import { questionFor } from './question.ts';
import { type Limits, type Ran, Running } from './running.ts';

export interface CommandEngineerOptions extends Partial<Limits> {
  /** The program and its arguments. They are recorded: a secret belongs into the environment. */
  readonly command: CommandWords;
  /** As which it is known, where that is not the name of its program. */
  readonly name?: string;
  /** Called each time before it is started: an engineer may be opened only to learn what it reads. */
  readonly allow: () => AllowedProgram;
}

type Program = Pick<CommandEngineerOptions, 'command'> & Pick<Limits, 'timeoutMs'>;

/** Ten minutes to decide: it may ask a model. */
export const usualLimits: Limits = { timeoutMs: 600_000, graceMs: 5000 };

export function openCommandEngineer(options: CommandEngineerOptions): Engineer {
  const { command, allow, timeoutMs = usualLimits.timeoutMs, graceMs = usualLimits.graceMs } = options;
  const { name = programName(command) } = options;
  const closing = new AbortController();
  const running = new Set<Running>();
  return {
    identity: { name, version: '1', reads: [...contextModules], parameters: { kind: 'program', command } },
    reads: contextModules,

    propose: async (asked) => {
      const signal = AbortSignal.any([closing.signal, ...(asked.signal === undefined ? [] : [asked.signal])]);
      signal.throwIfAborted();
      const program = new Running(allow(), { timeoutMs, graceMs }, questionFor(asked));
      running.add(program);
      const stop = (): void => program.stop();
      signal.addEventListener('abort', stop, { once: true });
      try {
        const ran = await program.over;
        signal.throwIfAborted();
        return answerOf(ran, asked, { command, timeoutMs });
      } finally {
        signal.removeEventListener('abort', stop);
        running.delete(program);
      }
    },

    close: async () => {
      closing.abort(new EngineerClosed(name));
      await Promise.all(Array.from(running, ({ over }) => over));
    },
  };
}

/** Throws EngineerFailed. */
function answerOf(ran: Ran, { descriptor, current, context }: Asked, { command, timeoutMs }: Program): Answer {
  const { printed } = ran;
  const raw = printed === '' ? null : { text: printed.toWellFormed() };
  const failed = failureOf(ran, timeoutMs);
  if (failed !== null)
    throw new EngineerFailed(failed.failure, `the engineer program ${nameOf(command)} ${failed.what}`, { raw });
  const unreadable = nothingReadable(ran);
  if (unreadable !== null) return { rejected: { ...unreadable, issues: [...unreadable.issues], raw } };
  const evidenceIds = context?.evidenceIds ?? new Set<string>();
  // What the environment itself has to say about a configuration is asked where it is known.
  const read = readProposal(printed, { descriptor, current, evidenceIds, check: () => [] });
  if ('reason' in read) return { rejected: { ...read, issues: [...read.issues], raw } };
  return { proposal: withoutInvented(read.content, evidenceIds) };
}
