// What a command is: one file with its options, its help, and what it does. Whatever is heavy (the store, the catalogue)
// is imported in `run`, so that help and completion stay quick.
import type { Command } from 'commander';
import type { Context } from './context.ts';

export interface Described {
  /** Shown under the options: paragraphs, then what to type and what it does. */
  readonly notes?: string;
  readonly examples: readonly (readonly [typed: string, does: string])[];
}

export interface CommandModule extends Described {
  /** Declares arguments and options. */
  declare(command: Command): Command;
  /** Returns the exit code. */
  run(context: Context, command: Command): Promise<number>;
}

/** A command that is several, each with arguments, options and a help of its own: `icecore lake solve`. */
export interface CommandFamily extends Described {
  readonly members: readonly Member[];
  /** Members that may also be asked for by an option, wherever it stands: by option. */
  readonly alsoCalled?: Readonly<Record<string, string>>;
}

export interface Member {
  readonly name: string;
  readonly summary: string;
  load(): Promise<{ readonly command: CommandModule }>;
}

export function isFamily(command: CommandModule | CommandFamily): command is CommandFamily {
  return 'members' in command;
}
