// Commands of plugins and of icecore itself: arguments, options and help as data, and the work. `run` imports what is heavy, so
// that help and completion stay fast. Help reads the name, group and summary from the entry without loading the command.
import type { Readable } from 'node:stream';
import type { Sink } from '../../base/sink.ts';
import type { Paint } from '../../base/terminal.ts';
import type { Document } from '../../document/document.ts';
import type { Workspace } from '../workspace.ts';

/** What a command gets in addition to its arguments and options. */
export interface CommandContext {
  /** The workspace that `--ledger` or the folder selects; it is closed after the command. */
  readonly workspace: Workspace;
  readonly io: CommandIo;
  readonly flags: { readonly json: boolean; readonly quiet: boolean };
  /** Colours for standard output; plain if it is not a terminal. */
  readonly paint: Paint;
  /** Aborts at Ctrl-C. */
  readonly signal: AbortSignal;
  /** Prints a result for people on standard output: a document, or plain text. */
  print(result: Document | string, options?: FormatOption): Promise<void>;
  /** Prints a result for programs: one line of JSON on standard output. */
  printJson(value: unknown): Promise<void>;
  /** Prints a message on standard error: a document, or a line; `--quiet` silences it. */
  say(message: Document | string): Promise<void>;
  /** Suggests what to type next; commands of icecore are adapted to how it was called. */
  hint(text: string): Promise<void>;
  /** Shows progress on standard error; `noun` names what is counted. */
  progress(noun: string): CommandProgress;
  /** Shows lines on the terminal of standard error that are redrawn. */
  live(): LiveLines;
}

/** The format of a printed result. */
export interface FormatOption {
  readonly format?: 'text' | 'md';
}

/** The streams, variables and folder of a command. */
export interface CommandIo {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Sink;
  readonly stderr: Sink;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
}

/** The progress of work. */
export interface Step {
  readonly done: number;
  /** The total; null or missing if unknown. */
  readonly of?: number | null;
  /** Bytes read so far, of the total if known. */
  readonly bytes?: number;
  readonly totalBytes?: number | null;
}

/** Progress on standard error, until `end` is called. */
export interface CommandProgress {
  /** Updates the display. */
  update(step: Step): Promise<void>;
  /** Leaves the last state on the screen and stops. */
  end(): Promise<void>;
}

/** Lines that are redrawn until `end` is called. */
export interface LiveLines {
  /** Lines without colours are cut to the width of the terminal. */
  show(lines: readonly string[]): Promise<void>;
  /** Leaves the last lines on the screen and stops. */
  end(): Promise<void>;
}

/** The values that an argument or an option accepts, and how to parse them. */
export interface ValueType<Value> {
  /** `field` is where it was typed: `--jobs`, `RUN`. Throws a usage error that names it. */
  parse(text: string, field: string, context: CommandContext): Value | Promise<Value>;
  /** A list separated by commas: an option that is given several times joins its lists. */
  readonly isList?: boolean;
  /** Suggestions for shell completion. `given`: the arguments before; `typed`: the current word so far. */
  complete?(
    context: CommandContext,
    given: readonly string[],
    typed: string,
  ): Promise<readonly Candidate[]> | readonly Candidate[];
}

/** Suggests values for the current word. */
export type Complete = NonNullable<ValueType<unknown>['complete']>;

/** A completion suggestion, with its meaning. */
export interface Candidate {
  readonly value: string;
  readonly about: string;
}

/** An argument or an option that is undefined unless typed. */
export interface Declared<Value> {
  /** As help shows it: `--jobs <n>`, `--tag <tag...>`, `[run]`. */
  readonly usage: string;
  readonly describe: string;
  /** Null for an option without a value. */
  readonly type: ValueType<unknown> | null;
  readonly more: More;
  /** For type inference only: the type of the value in `run`. */
  readonly value?: Value;
}

/** An argument or an option that always has a value, because it is required or has a default. */
export interface Always<Value> extends Declared<Value> {
  readonly always: true;
}

/** More properties of an argument or an option. */
export interface More {
  /** The default, as it would be typed. */
  readonly default?: string;
  /** What happens without it, for help only. */
  readonly otherwise?: string;
  readonly required?: true;
  /** May be repeated, each time with one value. */
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

/** A negated option, such as `--no-models`: its value is true unless typed. */
export function negation(usage: string, describe: string): Always<boolean> {
  return { usage, describe, type: null, more: {}, always: true };
}

/** `<run>` is required, `[run]` is optional, and `[run...]` takes any number. */
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

/** The values that `run` gets for arguments or options. */
export type ValuesOf<All extends Declarations> = {
  readonly [Name in keyof All as All[Name] extends Always<unknown> ? Name : never]: ValueIn<All[Name]>;
} & {
  readonly [Name in keyof All as All[Name] extends Always<unknown> ? never : Name]?: ValueIn<All[Name]>;
};

/** The help of a command, in addition to its arguments and options. */
export interface Help {
  /** Paragraphs shown after the options. */
  readonly notes?: string;
  /** Command lines, each with what it does. */
  readonly examples: readonly (readonly [typed: string, does: string])[];
  /** Headings of options, each with the names of its options. Options without a heading come first. */
  readonly headings?: Readonly<Record<string, readonly string[]>>;
}

/**
 * Whether the code of an icecore.config runs: never for commands that only read (`look`); before a command that works or writes,
 * with the user's consent (`run`); or only if it was allowed before (`run if trusted`).
 */
export type ConfigUse = 'look' | 'run' | 'run if trusted';

interface UsesConfig {
  /** Default: `look`. `runWith`: the option that makes it `run`. */
  readonly config?: ConfigUse | { readonly runWith: string };
}

/** A loaded command, as `defineCommand` returns it. */
export interface CommandModule extends Help, UsesConfig {
  readonly args: Declarations;
  readonly options: Declarations;
  /** Returns the exit code. */
  run(context: CommandContext, args: object, options: object): Promise<number>;
}

/** A command before it is loaded. */
export interface CommandEntry {
  /** Two words for plugins, the first of them the plugin's own: `acme greet`. */
  readonly name: string;
  /** What it does, in a few words. */
  readonly summary: string;
  /** Its heading in `icecore help all`. */
  readonly group: string;
  /** Imports the command. */
  load(): Promise<CommandModule>;
}

/** `Context` is larger for icecore's own commands than for those of plugins. */
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

/** Defines a command. `run` gets arguments and options with the types of their declarations. */
export const defineCommand: DefineCommand<CommandContext> = ({ args = {}, options = {}, run, ...help }) =>
  // Parsing guarantees the types of the declarations.
  ({ ...help, args, options, run: run as CommandModule['run'] });
