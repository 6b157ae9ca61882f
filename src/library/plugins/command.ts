// A command of a plugin, and of icecore itself: arguments and options as data, help, and work. Whatever is heavy is imported by
// `run`, so that help and completion stay quick. Its name, group and summary are in its entry, which help reads without loading it.
import type { Readable } from 'node:stream';
import type { Sink } from '../../base/sink.ts';
import type { Paint } from '../../base/terminal.ts';
import type { Document } from '../../document/document.ts';
import type { Workspace } from '../workspace.ts';

/** What a command is given beside its arguments and options. */
export interface CommandContext {
  /** The one that the command line names, by `--ledger` or by the folder; it is closed after the command. */
  readonly workspace: Workspace;
  readonly io: CommandIo;
  readonly flags: { readonly json: boolean; readonly quiet: boolean };
  /** Colours for standard output; plain where it is no terminal. */
  readonly paint: Paint;
  /** Aborts at Ctrl-C. */
  readonly signal: AbortSignal;
  /** Writes a result for people on standard output: a document, or a text as it is. */
  print(result: Document | string, options?: FormatOption): Promise<void>;
  /** Writes a result for programs: one line of JSON on standard output. */
  printJson(value: unknown): Promise<void>;
  /** Says something to the person at the terminal, on standard error: a document, or a line; `--quiet` silences it. */
  say(message: Document | string): Promise<void>;
  /** Says what to type next: commands of icecore are shown as they must be typed here. */
  hint(text: string): Promise<void>;
  /** How far long work is, on standard error: `noun` names what is counted. */
  progress(noun: string): CommandProgress;
  /** Lines on the terminal of standard error that are drawn over again. */
  live(): LiveLines;
}

/** The form in which a result is printed. */
export interface FormatOption {
  readonly format?: 'text' | 'md';
}

/** The streams, variables and folder that a command works with. */
export interface CommandIo {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Sink;
  readonly stderr: Sink;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
}

/** How far work has come. */
export interface Step {
  readonly done: number;
  /** How many there are to do; null or missing where nobody knows. */
  readonly of?: number | null;
  /** Bytes read so far, of the total where that is known. */
  readonly bytes?: number;
  readonly totalBytes?: number | null;
}

/** Progress that is shown on standard error until `end` is called. */
export interface CommandProgress {
  /** Shows how far the work has come. */
  update(step: Step): Promise<void>;
  /** Leaves the last state as it is and stops drawing. */
  end(): Promise<void>;
}

/** Lines that are drawn over again until `end` is called. */
export interface LiveLines {
  /** Lines without colours are cut to the width of the terminal. */
  show(lines: readonly string[]): Promise<void>;
  /** Leaves the last lines as they are and stops drawing. */
  end(): Promise<void>;
}

/** What may be typed for an argument or an option, and what it comes to. */
export interface ValueType<Value> {
  /** `field` is where it was typed: `--jobs`, `RUN`. Throws a usage error that names it. */
  parse(text: string, field: string, context: CommandContext): Value | Promise<Value>;
  /** What a shell offers. `given` are the arguments before; `typed` is what is there so far. */
  complete?(
    context: CommandContext,
    given: readonly string[],
    typed: string,
  ): Promise<readonly Candidate[]> | readonly Candidate[];
}

/** Offers what may stand where somebody presses Tab. */
export type Complete = NonNullable<ValueType<unknown>['complete']>;

/** A value that a shell offers, with what it means. */
export interface Candidate {
  readonly value: string;
  readonly about: string;
}

/** An argument or an option that has a value only where it was typed. */
export interface Declared<Value> {
  /** As help shows it: `--jobs <n>`, `--tag <tag...>`, `[run]`. */
  readonly usage: string;
  readonly describe: string;
  /** Null for an option without a value. */
  readonly type: ValueType<unknown> | null;
  readonly more: More;
  /** Only for the compiler, which learns from it what `run` gets. */
  readonly value?: Value;
}

/** One that always has a value, as it is required or has a default. */
export interface Always<Value> extends Declared<Value> {
  readonly always: true;
}

/** What else is to be said of an argument or an option. */
export interface More {
  /** What counts where nothing is typed, as it would be typed. */
  readonly default?: string;
  /** What happens where nothing is typed, for help alone. */
  readonly otherwise?: string;
  readonly required?: true;
  /** May be typed again, each time with one value. */
  readonly again?: true;
}

type Several<Value> = Value extends readonly (infer One)[] ? readonly One[] : readonly Value[];

type ValueOf<Usage extends string, Value, Extra extends More> = Usage extends `${string}...]`
  ? true | Several<Value>
  : Usage extends `${string}...${string}`
    ? Several<Value>
    : Extra extends { readonly again: true }
      ? Several<Value>
      : Value;

/** An option with a value. `usage` is as help shows it, such as `--jobs <n>`; `describe` is its line in help. */
export function option<const Usage extends string, Value, const Extra extends More = Record<never, never>>(
  usage: Usage,
  describe: string,
  type: ValueType<Value>,
  more?: Extra,
): Extra extends { readonly default: string } | { readonly required: true }
  ? Always<ValueOf<Usage, Value, Extra>>
  : Declared<ValueOf<Usage, Value, Extra>>;
export function option(usage: string, describe: string, type: ValueType<unknown>, more: More = {}): Declared<unknown> {
  return { usage, describe, type, more };
}

/** An option without a value. */
export function flag(usage: string, describe: string): Declared<true> {
  return { usage, describe, type: null, more: {} };
}

/** An option that says no, such as `--no-models`: its value is true where it is not typed. */
export function negation(usage: string, describe: string): Always<boolean> {
  return { usage, describe, type: null, more: {}, always: true };
}

/** `<run>` is required, `[run]` is not, and `[run...]` takes all that come. */
export function argument<const Usage extends string, Value, const Extra extends More = Record<never, never>>(
  usage: Usage,
  describe: string,
  type: ValueType<Value>,
  more?: Extra,
): Usage extends `${string}...${string}`
  ? Always<Several<Value>>
  : Usage extends `<${string}`
    ? Always<Value>
    : Extra extends { readonly default: string }
      ? Always<Value>
      : Declared<Value>;
export function argument(
  usage: string,
  describe: string,
  type: ValueType<unknown>,
  more: More = {},
): Declared<unknown> {
  return { usage, describe, type, more };
}

/** The arguments or options of a command, by the names that `run` gets them under. */
export type Declarations = Readonly<Record<string, Declared<unknown>>>;

type ValueIn<One> = One extends Declared<infer Value> ? Value : never;

/** What `run` gets of arguments or options. */
export type ValuesOf<All extends Declarations> = {
  readonly [Name in keyof All as All[Name] extends Always<unknown> ? Name : never]: ValueIn<All[Name]>;
} & {
  readonly [Name in keyof All as All[Name] extends Always<unknown> ? never : Name]?: ValueIn<All[Name]>;
};

/** What help says of a command beyond its arguments and options. */
export interface Help {
  /** Shown after the options: paragraphs. */
  readonly notes?: string;
  /** What to type, and what it does. */
  readonly examples: readonly (readonly [typed: string, does: string])[];
}

/**
 * Whether the code of an icecore.config runs: never for what only looks; before a command that works or writes, once this user allows
 * it; or, where the command itself asks for plugins, only if that was allowed before.
 */
export type ConfigUse = 'look' | 'run' | 'run if trusted';

interface UsesConfig {
  /** `look` where it is left out. `runWith`: the option with which it is `run`. */
  readonly config?: ConfigUse | { readonly runWith: string };
}

/** A command that is loaded, as `defineCommand` makes it. */
export interface CommandModule extends Help, UsesConfig {
  readonly args: Declarations;
  readonly options: Declarations;
  /** Returns the exit code. */
  run(context: CommandContext, args: object, options: object): Promise<number>;
}

/** A command before it is loaded. */
export interface CommandEntry {
  /** Of a plugin always two words, the first of them its own: `acme greet`. */
  readonly name: string;
  /** What it does, in a few words. */
  readonly summary: string;
  /** The heading of it in `icecore help all`. */
  readonly group: string;
  /** Imports it. */
  load(): Promise<CommandModule>;
}

/** `Context` has more than plugins are given where icecore defines a command of its own. */
export type DefineCommand<Context extends CommandContext> = <
  const Args extends Declarations = Record<never, never>,
  const Options extends Declarations = Record<never, never>,
>(
  command: Help &
    UsesConfig & {
      readonly args?: Args;
      readonly options?: Options;
      run(context: Context, args: ValuesOf<Args>, options: ValuesOf<Options>): Promise<number>;
    },
) => CommandModule;

/** Defines a command, whose `run` gets arguments and options with the types that they declare. */
export const defineCommand: DefineCommand<CommandContext> = ({ args = {}, options = {}, run, ...help }) =>
  // What is parsed from these declarations has the types that they say.
  ({ ...help, args, options, run: run as CommandModule['run'] });
