// A command is one file in `commands/`: its arguments and options as data, its help, and its work. Whatever is heavy (the
// store, the catalogue) is imported by `run`, so that help and completion stay quick. Name, group and summary are the
// command's line in registry.ts, which help reads without loading any command.
import type { Context } from './context.ts';
import type { CommandEntry } from './registry.ts';

/** What may be typed for an argument or an option, and what it comes to. */
export interface ValueType<Value> {
  /** `field` is where it was typed: `--jobs`, `RUN`. Throws a usage error that names it. */
  parse(text: string, field: string, context: Context): Value | Promise<Value>;
  /** What a shell offers. `given` are the arguments before; `typed` is what stands there so far. */
  readonly complete?: Complete;
}

export type Complete = (
  context: Context,
  given: readonly string[],
  typed: string,
) => Promise<readonly Candidate[]> | readonly Candidate[];

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

export type Declarations = Readonly<Record<string, Declared<unknown>>>;

type ValueIn<One> = One extends Declared<infer Value> ? Value : never;

/** What `run` gets of arguments or options. */
export type ValuesOf<All extends Declarations> = {
  readonly [Name in keyof All as All[Name] extends Always<unknown> ? Name : never]: ValueIn<All[Name]>;
} & {
  readonly [Name in keyof All as All[Name] extends Always<unknown> ? never : Name]?: ValueIn<All[Name]>;
};

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

export interface CommandModule extends Help, UsesConfig {
  readonly args: Declarations;
  readonly options: Declarations;
  /** Returns the exit code. */
  run(context: Context, args: object, options: object): Promise<number>;
}

export function defineCommand<
  const Args extends Declarations = Record<never, never>,
  const Options extends Declarations = Record<never, never>,
>(
  command: Help &
    UsesConfig & {
      readonly args?: Args;
      readonly options?: Options;
      run(context: Context, args: ValuesOf<Args>, options: ValuesOf<Options>): Promise<number>;
    },
): CommandModule {
  const { args = {}, options = {}, run, ...help } = command;
  // What is parsed from these declarations has the types that they say.
  return { ...help, args, options, run: run as CommandModule['run'] };
}

/** From the file that declares it. */
export async function loadCommand({ name }: Pick<CommandEntry, 'name'>): Promise<CommandModule> {
  const file = `./commands/${name.replace(' ', '-')}.ts`;
  return ((await import(file)) as { readonly command: CommandModule }).command;
}
