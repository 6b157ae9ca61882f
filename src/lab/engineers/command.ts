// An external engineer program: one JSON object in, one JSON object out. docs/engineers.md describes how to write one.

import type { Descriptor } from '../../../schemas/environment.ts';
import type { Configuration, Seed } from '../environments/environment.ts';
import type { Checkpoint } from '../policies/policy.ts';
import { Child, type End, Silence, whyNotStarted } from '../programs/child.ts';
import { type AllowedProgram, type CommandWords, describeExit, nameOf, programName } from '../programs/program.ts';
import {
  type Answer,
  type ContextModule,
  type Engineer,
  EngineerClosed,
  EngineerFailed,
  type Failure,
  type ProposalRequest,
  type ShownContext,
} from './engineer.ts';
import { answerFrom, readProposal, type Unusable, whole } from './proposal-reading.ts';

export interface CommandEngineerOptions extends Partial<Limits> {
  /** The program and its arguments. They are recorded, so secrets belong in the environment. */
  readonly command: CommandWords;
  /** Its display name, if it differs from the program's name. */
  readonly name?: string;
  /** All modules that a context may have: the program decides which ones it uses. */
  readonly reads: readonly string[];
  /** Called before each start, because an engineer may be opened only to find out what it reads. */
  readonly allow: () => AllowedProgram;
}

type Program = Pick<CommandEngineerOptions, 'command'> & Pick<Limits, 'timeoutMs'>;

/** Ten minutes to decide, because the program may call a model. */
const usualLimits: Limits = { timeoutMs: 600_000, graceMs: 5000 };

export function openCommandEngineer(options: CommandEngineerOptions): Engineer {
  const { command, reads, allow, timeoutMs = usualLimits.timeoutMs, graceMs = usualLimits.graceMs } = options;
  const { name = programName(command) } = options;
  const closing = new AbortController();
  const running = new Set<Running>();
  return {
    identity: { name, version: '1', reads: [...reads], parameters: { kind: 'program', command } },
    reads,

    propose: async (request) => {
      const signal = AbortSignal.any([closing.signal, ...(request.signal === undefined ? [] : [request.signal])]);
      signal.throwIfAborted();
      const program = new Running(allow(), { timeoutMs, graceMs }, questionFor(request));
      running.add(program);
      const stop = (): void => program.stop();
      signal.addEventListener('abort', stop, { once: true });
      try {
        const ran = await program.over;
        signal.throwIfAborted();
        return answerOf(ran, request, { command, timeoutMs });
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
function answerOf(
  ran: Ran,
  { descriptor, current, context }: ProposalRequest,
  { command, timeoutMs }: Program,
): Answer {
  const { printed } = ran;
  const raw = printed === '' ? null : { text: printed.toWellFormed() };
  const failed = failureOf(ran, timeoutMs);
  if (failed !== null)
    throw new EngineerFailed(failed.failure, `the engineer program ${nameOf(command)} ${failed.what}`, { raw });
  const evidenceIds = context?.evidenceIds ?? new Set<string>();
  // The environment's own check runs later, where the environment is available.
  const read = nothingReadable(ran) ?? readProposal(printed, { descriptor, current, evidenceIds, check: () => [] });
  return answerFrom(read, { raw, evidenceIds });
}

// The input of an engineer program: everything about one decision, as JSON. docs/engineers.md describes it.

interface CommandQuestion {
  readonly protocol: 1;
  readonly descriptor: Descriptor;
  readonly stage: number;
  readonly stages: number | null;
  readonly current: Configuration;
  readonly first: Configuration;
  readonly context: {
    readonly form: ShownContext['form'];
    readonly digest: string;
    readonly text: string;
    readonly modules: readonly ContextModule[];
    /** The evidence ids that may be cited. */
    readonly evidenceIds: readonly string[];
  } | null;
  readonly checkpoint: Checkpoint | null;
  readonly sample: number;
  readonly seed: Seed;
}

export function questionFor(request: ProposalRequest): CommandQuestion {
  const { descriptor, stage, stages, current, first, context, checkpoint, sample, seed } = request;
  return {
    protocol: 1,
    descriptor,
    stage,
    stages,
    current,
    first,
    context: context === null ? null : contextFor(context),
    checkpoint,
    sample,
    seed,
  };
}

function contextFor({ form, digest, text, modules, evidenceIds }: ShownContext): CommandQuestion['context'] {
  return { form, digest, text, modules, evidenceIds: [...evidenceIds] };
}

// One run of an engineer program: its input, its output and how it ended.

interface Limits {
  /** The time limit for the answer and the exit. */
  readonly timeoutMs: number;
  /** The time it has to exit after it was asked to stop. */
  readonly graceMs: number;
}

/** How a program ended: by itself, or stopped for exceeding a limit. */
interface Ran {
  readonly end: End | { readonly kind: 'late' } | { readonly kind: 'endless' };
  /** Its output, up to the size limit. */
  readonly printed: string;
  /** The last lines of its standard error. */
  readonly lastWords: readonly string[];
}

/** The maximum size of a proposal in bytes. */
const mostPrinted = 2 ** 20;

class Running {
  readonly #limits: Limits;
  readonly #over = Promise.withResolvers<Ran>();
  readonly #lines: string[] = [];
  readonly #silence: Silence;
  readonly #child: Child | undefined;
  #bytes = 0;
  #cause: Ran['end'] | undefined;

  constructor(program: AllowedProgram, limits: Limits, question: object) {
    this.#limits = limits;
    this.#silence = new Silence(() => this.#stop({ kind: 'late' }));
    const whole = { program, variables: {}, lineBytes: mostPrinted + 1, protocol: 'reports' } as const;
    try {
      this.#child = new Child(whole, { line: (text) => this.#hear(text), end: (end) => this.#ended(end) });
    } catch (error) {
      const fault = error as NodeJS.ErrnoException;
      this.#ended({ kind: 'not-started', reason: whyNotStarted(fault, program), code: fault.code });
      return;
    }
    this.#silence.expect(limits.timeoutMs);
    this.#child.write(JSON.stringify(question));
    this.#child.endInput();
  }

  /** Resolves when the program and all processes it started have ended. */
  get over(): Promise<Ran> {
    return this.#over.promise;
  }

  /** Asks it to exit, and kills it after the grace period. */
  stop(): void {
    this.#silence.stop();
    this.#child?.terminate(this.#limits.graceMs);
  }

  #hear(text: string): void {
    this.#bytes += Buffer.byteLength(text) + 1;
    if (this.#bytes <= mostPrinted + 1) this.#lines.push(text);
    else this.#stop({ kind: 'endless' });
  }

  #stop(cause: Ran['end']): void {
    this.#cause ??= cause;
    this.stop();
  }

  #ended(end: End): void {
    this.#silence.stop();
    const lastWords = this.#child?.lastWords ?? [];
    this.#over.resolve({ end: this.#cause ?? end, printed: this.#lines.join('\n'), lastWords });
  }
}

// Why a program gave no usable answer: the program failed, or its output could not be read.

interface Failed {
  readonly failure: Failure;
  readonly what: string;
}

/** Null if it ended normally, whatever it printed. */
function failureOf({ end, lastWords }: Ran, timeoutMs: number): Failed | null {
  const failed = (failure: Failure, what: string): Failed => ({ failure, what: `${what}${quoted(lastWords)}` });
  switch (end.kind) {
    case 'late':
      return failed('timeout', `had not ended after ${timeoutMs / 1000} s and was stopped`);
    case 'not-started':
      return failed('unavailable', `cannot be started: ${end.reason}`);
    case 'exit':
      return end.code === 0 ? null : failed('crashed', describeExit(end));
    case 'hung-up':
    case 'unreadable':
      return failed('crashed', end.what);
    case 'endless':
      return null;
  }
}

/** For a program that ended normally; null if it printed something readable. */
function nothingReadable({ end, printed, lastWords }: Ran): Unusable | null {
  const unusable = (reason: Unusable['reason'], what: string): Unusable => ({
    reason,
    issues: [whole(`a program that ${what}${quoted(lastWords)}`)],
  });
  if (end.kind === 'endless') return unusable('unreadable', `printed more than ${mostPrinted} bytes`);
  return printed === '' ? unusable('empty', 'ended without printing anything') : null;
}

/** The number of last lines that an error quotes. */
const mostLines = 5;

function quoted(lastWords: readonly string[]): string {
  const lines = lastWords.slice(-mostLines);
  return lines.length === 0 ? '' : `; its last words: ${lines.join(' / ')}`;
}
