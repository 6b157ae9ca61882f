// What guards the calls of plugins, and the errors of plugins that cannot be registered.
import type { z } from 'zod';
import { fieldOf, found, IcecoreError, type Issue } from '../../../schemas/errors.ts';
import { PluginFault } from '../../lab/plugin-fault.ts';

/** A part of a plugin as messages name it: `the environment arithmetic of the plugin acme`. */
export function partName(kind: string, name: string, plugin: string | undefined): string {
  return plugin === undefined ? `the ${kind} ${name}` : `the ${kind} ${name} of the plugin ${plugin}`;
}

/** Thrown when two plugins, or two parts of one plugin, have the same name. */
export class NameTaken extends IcecoreError {
  override readonly name = 'NameTaken';

  constructor(kind: string, taken: string, by: readonly [string, string]) {
    const [first, second] = by;
    const who =
      first === second ? `the plugin ${first} has two of that name` : `the plugins ${first} and ${second} both have it`;
    super('conflict', `${kind} "${taken}": ${who}`, {
      facts: { kind, name: taken, plugins: by },
      remedy: 'Rename one of them, or leave one of the plugins out.',
    });
  }
}

/** Thrown when a plugin is malformed. */
export class BadPlugin extends IcecoreError {
  override readonly name = 'BadPlugin';

  constructor(plugin: string, field: string, found: string, allowed: string) {
    super('bad-input', `the plugin ${plugin}, ${field}: found ${found}, allowed: ${allowed}`, {
      facts: { plugin, field, found, allowed },
    });
  }
}

interface Limits {
  readonly signal: AbortSignal;
  readonly seconds: number;
}

/**
 * The result of a call, at once or as a promise. Only a promise can have a time limit: nothing can interrupt a loop that
 * never pauses.
 */
export function callWithLimits<Result>(
  who: string,
  call: string,
  body: () => Result | Promise<Result>,
  limits: Limits,
): Result | Promise<Result> {
  limits.signal.throwIfAborted();
  try {
    const result = body();
    return result instanceof Promise ? inTime(result, who, call, limits) : result;
  } catch (fault) {
    throw faultOf(fault, who, call);
  }
}

/** Applies a function to a value or to the result of a promise. */
export function whenReady<Value, Result>(
  value: Value | Promise<Value>,
  next: (value: Value) => Result | Promise<Result>,
): Result | Promise<Result> {
  return value instanceof Promise ? value.then(next) : next(value);
}

function faultOf(fault: unknown, who: string, call: string): unknown {
  return fault instanceof PluginFault ? fault : PluginFault.threw(who, call, fault);
}

async function inTime<Result>(
  result: Promise<Result>,
  who: string,
  call: string,
  { signal, seconds }: Limits,
): Promise<Result> {
  const ending = Promise.withResolvers<never>();
  const abort = (): void => ending.reject(signal.reason);
  const timer = setTimeout(() => ending.reject(PluginFault.timedOut(who, call, seconds)), seconds * 1000);
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([result, ending.promise]);
  } catch (fault) {
    signal.throwIfAborted();
    throw faultOf(fault, who, call);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
    // A late result or error is ignored.
    result.catch(() => {});
  }
}

/** Wraps a port so that unexpected errors become a PluginFault that names the plugin and the method. */
export function blaming<Port extends object>(port: Port, who: string): Port {
  const wrapped = new Map<PropertyKey, unknown>();
  // A proxy of a frozen object must return its original members.
  const target = Object.isFrozen(port) ? Object.assign(Object.create(Object.getPrototypeOf(port)), port) : port;
  return new Proxy<Port>(target, {
    get(_, key) {
      const member: unknown = Reflect.get(port, key, port);
      if (typeof member !== 'function' || typeof key === 'symbol') return member;
      const before = wrapped.get(key);
      if (before !== undefined) return before;
      const method = (...given: readonly unknown[]): unknown =>
        guarded(() => member.apply(port, given), who, key, given);
      wrapped.set(key, method);
      return method;
    },
  });
}

function guarded(body: () => unknown, who: string, call: string, given: readonly unknown[]): unknown {
  const fault = (cause: unknown): never => {
    const isOurs =
      cause instanceof IcecoreError || signalsIn(given).some(({ aborted, reason }) => aborted && reason === cause);
    throw isOurs ? cause : PluginFault.threw(who, call, cause);
  };
  try {
    const result = body();
    if (result instanceof Promise) return result.catch(fault);
    return isGenerator(result) ? blamingGenerator(result, fault) : result;
  } catch (cause) {
    return fault(cause);
  }
}

function signalsIn(given: readonly unknown[]): readonly AbortSignal[] {
  return given
    .flatMap((one) => [one, (one as { readonly signal?: unknown } | null | undefined)?.signal])
    .filter((one) => one instanceof AbortSignal);
}

type Generator = AsyncGenerator<unknown, unknown, unknown>;

function isGenerator(value: unknown): value is Generator {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value && 'next' in value;
}

function blamingGenerator(items: Generator, fault: (cause: unknown) => never): Generator {
  return {
    next: (...given) => items.next(...given).catch(fault),
    return: (value) => items.return(value).catch(fault),
    throw: (cause) => items.throw(cause),
    [Symbol.asyncIterator]() {
      return this;
    },
    [Symbol.asyncDispose]: async () => {
      await items.return(undefined).catch(fault);
    },
  };
}

/** Freezes a value deeply. */
export function deepFreeze<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const member of Object.values(value)) deepFreeze(member);
  return Object.freeze(value);
}

/** The issues of a schema of any zod version. */
export function issuesOf({ issues }: Pick<z.ZodError, 'issues'>, value: unknown, at: string): readonly Issue[] {
  return issues.map(({ path, message }) => ({
    field: [at, fieldOf(path)].filter((part) => part !== '').join('.'),
    found: found(
      path.reduce<unknown>((inner, step) => (inner as Readonly<Record<PropertyKey, unknown>>)?.[step], value),
    ),
    allowed: message,
  }));
}
