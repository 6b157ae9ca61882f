// What a command is: one file with its options, its help, and what it does. Whatever is heavy (the store, the catalogue)
// is imported in `run`, so that help and completion stay quick.
import type { Command } from 'commander';
import type { Context } from './context.ts';

export interface CommandModule {
  /** Declares arguments and options. */
  declare(command: Command): Command;
  /** Shown under the options: paragraphs, then what to type and what it does. */
  readonly notes?: string;
  readonly examples: readonly (readonly [typed: string, does: string])[];
  /** Returns the exit code. */
  run(context: Context, command: Command): Promise<number>;
}
