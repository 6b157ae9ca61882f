// The port of an environment that a plugin defined.
import { hash } from 'node:crypto';
import { canonicalJson, NotCanonical } from '../../../schemas/canonical.ts';
import { contradictions } from '../../../schemas/contradictions.ts';
import { duplicateNames } from '../../../schemas/duplicate-names.ts';
import type { Descriptor } from '../../../schemas/environment.ts';
import { found, type Issue } from '../../../schemas/errors.ts';
import { abortable } from '../../lab/environments/abortable.ts';
import { Verdicts } from '../../lab/environments/command/replies.ts';
import { checkConfiguration } from '../../lab/environments/configuration.ts';
import {
  BadConfiguration,
  type Cell,
  type Configuration,
  type Drawing,
  type Environment,
  EnvironmentClosed,
  type Judged,
  type Rollout,
  type Shortage,
  type Split,
  type Task,
  type Tasks,
  type Try,
  UnknownSuite,
  type Verdict,
} from '../../lab/environments/environment.ts';
import { PluginFault } from '../../lab/plugin-fault.ts';
import { Random } from '../../lab/random.ts';
import type { EnvironmentOptions } from '../../lab/registry.ts';
import { cellsOf, countsOf, descriptorOf } from './defined-knobs.ts';
import type { AnyDefinition, PlayResult, SuiteOf, VerdictOf } from './environment.ts';
import { callWithLimits, deepFreeze, issuesOf, partName, whenReady } from './faults.ts';

type Numbers = Readonly<Record<string, number>>;

/** Attempts to make a new task in a cell before it counts as exhausted. */
const tries = 400;

/** In percent: a task's content assigns it to one split forever. */
const bounds: readonly (readonly [below: number, split: Split])[] = [
  [70, 'train'],
  [80, 'probe'],
  [85, 'probe-holdout'],
  [90, 'validation'],
  [100, 'test'],
];

const defaultSeconds = 60;
const noMore = 'no more different tasks of this kind could be made';

/** Throws PluginFault if the definition contradicts itself. */
export function openDefined(definition: AnyDefinition, { plugin, knobs }: EnvironmentOptions): Environment {
  return new Defined(definition, partName('environment', definition.name, plugin), knobs).environment;
}

interface Made {
  readonly instance: object;
  readonly digest: string;
  /** Equal for the same task in disguise. */
  readonly like: string;
}

class Defined {
  readonly environment: Environment;
  readonly #of: AnyDefinition;
  readonly #who: string;
  /** With the optional knobs that this run does not have. */
  readonly #whole: Descriptor;
  readonly #descriptor: Descriptor;
  readonly #start: Configuration;
  readonly #verdicts: Verdicts;
  readonly #closing = new AbortController();
  /** Checked instances, as the plugin gets them. */
  readonly #known = new WeakMap<object, object>();

  constructor(definition: AnyDefinition, who: string, optionalKnobs: readonly string[]) {
    this.#of = definition;
    this.#who = who;
    const { settings = {} } = definition;
    this.#whole = descriptorOf(definition);
    this.#descriptor = {
      ...this.#whole,
      knobs: this.#whole.knobs.filter(
        ({ name, family }) => family !== null || settings[name]?.optional !== true || optionalKnobs.includes(name),
      ),
    };
    this.#start = deepFreeze(structuredClone(definition.start) as Configuration);
    this.#verdicts = new Verdicts(this.#descriptor);
    const { suites = [] } = definition;
    const issues = [
      ...contradictions(this.#whole, 'definition'),
      ...this.#check(this.#start).map((issue) => ({ ...issue, field: `start.${issue.field}` })),
      ...duplicateNames(
        suites.map(({ name }, i) => ({ name, field: `suites[${i}].name` })),
        'each suite once',
      ),
    ];
    if (issues.length > 0) throw PluginFault.invalid(who, 'its definition', issues);
    this.environment = this.#port();
  }

  #port(): Environment {
    const { draw, solve, prompt, player, suites = [] } = this.#of;
    return {
      descriptor: this.#descriptor,
      start: this.#start,
      suites: suites.map(({ name, meaning, seed, perCell, cells, settings }) => ({
        name,
        ...(meaning === undefined ? {} : { meaning }),
        seed,
        tasks: perCell * this.#cells(cells).length,
        parameters: {
          perCell,
          ...(cells === undefined ? {} : { cells }),
          ...(settings === undefined ? {} : { settings }),
        },
      })),
      check: (configuration) => this.#check(configuration),
      generate: (request) => this.#generate(request),
      probe: (request) => this.#probe(request),
      suite: (name, signal) => this.#suite(name, signal),
      judge: (tried, signal) => this.#judge(tried, signal),
      ...(draw === undefined ? {} : { draw: (task: Task, answer?: unknown) => this.#draw(task, answer) }),
      ...(solve === undefined
        ? {}
        : { solve: (task: Task, signal?: AbortSignal) => this.#solve(task, this.#stopping(signal)) }),
      ...(prompt === undefined ? {} : { prompt: (task: Task) => this.#prompt(task) }),
      ...(player === undefined ? {} : { rollout: (request) => this.#rollout(request) }),
      close: async () => this.#closing.abort(new EnvironmentClosed(this.#of.name)),
    } satisfies Environment;
  }

  #check(configuration: unknown): Issue[] {
    return checkConfiguration(this.#whole, configuration, this.#start);
  }

  /** As the plugin gets it: checked and frozen. */
  #checked(configuration: Configuration): {
    readonly families: Readonly<Record<string, Numbers>>;
    readonly all: Numbers;
  } {
    const issues = this.#check(configuration);
    if (issues.length > 0) throw new BadConfiguration(this.#of.name, issues);
    const { families, ...all } = configuration as { families: Readonly<Record<string, Numbers>> };
    return { families, all: all as unknown as Numbers };
  }

  #call<Result>(
    call: string,
    body: () => Result | Promise<Result>,
    signal: AbortSignal = this.#closing.signal,
  ): Result | Promise<Result> {
    const { seconds = defaultSeconds } = this.#of;
    return callWithLimits(this.#who, call, body, { signal, seconds });
  }

  #stopping(signal: AbortSignal | undefined): AbortSignal {
    return signal === undefined ? this.#closing.signal : AbortSignal.any([this.#closing.signal, signal]);
  }

  async *#generate({ configuration, split, count, seed, signal }: Parameters<Environment['generate']>[0]): Tasks {
    const stop = this.#stopping(signal);
    stop.throwIfAborted();
    const { families, all } = this.#checked(configuration);
    const wanted = countsOf(families, count);
    const random = new Random(seed, 'order', split);
    const order = [...wanted]
      .flatMap(([family, many]) => Array.from({ length: many }, () => ({ family, place: random.word() })))
      .sort((one, other) => one.place - other.place);
    const knobsOf = new Map(
      Object.entries(families).map(([family, { share: _, ...knobs }]) => [family, deepFreeze(knobs)] as const),
    );
    const settings = deepFreeze(all);
    const taken = new Set<string>();
    const made = new Map<string, number>();
    const short = new Map<string, Shortage>();
    for (const { family } of order) {
      if (short.has(family)) continue;
      const number = made.get(family) ?? 0;
      const knobs = knobsOf.get(family) ?? {};
      const task = await this.#task({ split, seed, family, knobs, settings, number, taken }, stop);
      if (task === null) {
        short.set(family, { cell: { family }, asked: wanted.get(family) ?? 0, achieved: number, says: noMore });
        continue;
      }
      made.set(family, number + 1);
      yield { id: `${family}-${number}`, family, ...task };
    }
    return [...short.values()];
  }

  async *#probe({ configuration, split, perCell, seed, signal }: Parameters<Environment['probe']>[0]): Tasks {
    const stop = this.#stopping(signal);
    stop.throwIfAborted();
    const { all: settings } = this.#checked(configuration);
    return yield* this.#inCells({ split, seed, settings, cells: undefined, perCell }, stop);
  }

  async *#suite(name: string, signal?: AbortSignal): Tasks {
    const stop = this.#stopping(signal);
    stop.throwIfAborted();
    const { suites = [] } = this.#of;
    const suite = suites.find((one) => one.name === name);
    if (suite === undefined) {
      const known = suites.map((one) => one.name);
      throw new UnknownSuite(this.#of.name, name, known);
    }
    const { all } = this.#checked(this.#start);
    const { seed, perCell, cells } = suite;
    const settings = { ...all, ...(suite.settings as Numbers | undefined) };
    return yield* this.#inCells({ split: 'test', seed: String(seed), settings, cells, perCell }, stop);
  }

  async *#inCells({ split, seed, settings, cells, perCell }: InCells, stop: AbortSignal): Tasks {
    const taken = new Set<string>();
    const shortages: Shortage[] = [];
    let index = 0;
    for (const { family, conditions } of this.#cells(cells)) {
      for (let number = 0; number < perCell; number++) {
        const knobs = deepFreeze(conditions);
        const task = await this.#task(
          { split, seed, family, knobs, settings: deepFreeze(settings), number, taken },
          stop,
        );
        if (task === null) {
          shortages.push({ cell: { family, conditions }, asked: perCell, achieved: number, says: noMore });
          break;
        }
        yield { id: `${family}-${index++}`, family, ...task, conditions };
      }
    }
    return shortages;
  }

  /** Every family with every combination of values. */
  #cells(
    given: SuiteOf<string, string>['cells'],
  ): readonly (Cell & { readonly family: string; readonly conditions: Numbers })[] {
    let combined: Numbers[] = [{}];
    for (const [name, knob] of Object.entries(this.#of.knobs)) {
      const values = given?.[name] ?? knob.cells ?? cellsOf(knob);
      combined = combined.flatMap((before) => values.map((value) => ({ ...before, [name]: value })));
    }
    return Object.keys(this.#of.families).flatMap((family) => combined.map((conditions) => ({ family, conditions })));
  }

  /** Null if no other seems to exist. */
  async #task(place: Place, stop: AbortSignal): Promise<Omit<Task, 'id' | 'family'> | null> {
    const { split, seed, family, knobs, settings, number, taken } = place;
    const purpose = JSON.stringify([knobs, settings]);
    for (let attempt = 0; attempt < tries; attempt++) {
      stop.throwIfAborted();
      const random = new Random(seed, split, family, purpose, number, attempt);
      const making = this.#made({ family, knobs, settings, random }, stop);
      const made = making instanceof Promise ? await making : making;
      if (made === null || splitOf(made.like) !== split || taken.has(made.like)) continue;
      if (split !== 'train') taken.add(made.like);
      const { factsOf, likeness } = this.#of;
      const { instance, digest, like } = made;
      return {
        instance: instance as Task['instance'],
        digest,
        ...(likeness === undefined ? {} : { symmetryDigest: like }),
        facts: factsOf === undefined ? {} : this.#facts(await this.#call('factsOf', () => factsOf(instance), stop)),
      };
    }
    return null;
  }

  #made(request: Parameters<AnyDefinition['generate']>[0], stop: AbortSignal): Made | null | Promise<Made | null> {
    return whenReady(
      this.#call('generate', () => this.#of.generate(request), stop),
      (given) => (given === null ? null : this.#digested(this.#instance(given, 'generate'), stop)),
    );
  }

  #digested(instance: object, stop: AbortSignal): Made | Promise<Made> {
    const { likeness } = this.#of;
    const digest = this.#digest(instance, 'generate');
    if (likeness === undefined) return { instance, digest, like: digest };
    return whenReady(
      this.#call('likeness', () => likeness(instance), stop),
      (like) => ({ instance, digest, like: this.#digest(like, 'likeness') }),
    );
  }

  /** Parsed by its schema and frozen. */
  #instance(given: object, call: string): object {
    const before = this.#known.get(given);
    if (before !== undefined) return before;
    const parsed = this.#of.instance.safeParse(given);
    if (!parsed.success) throw PluginFault.invalid(this.#who, call, issuesOf(parsed.error, given, 'instance'));
    const instance = deepFreeze(parsed.data);
    this.#known.set(given, instance);
    this.#known.set(instance, instance);
    return instance;
  }

  #digest(value: unknown, call: string): string {
    try {
      return hash('sha256', canonicalJson(value));
    } catch (fault) {
      if (!(fault instanceof NotCanonical)) throw fault;
      const { field, found } = fault;
      throw PluginFault.invalid(this.#who, call, [{ field, found, allowed: 'a JSON value' }]);
    }
  }

  #facts(facts: Readonly<Record<string, unknown>>): Task['facts'] {
    const known = Object.keys(this.#of.facts ?? {});
    for (const [name, value] of Object.entries(facts)) {
      const isUsual = typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value));
      if (known.includes(name) && isUsual) continue;
      const allowed = known.includes(name) ? 'a number or true or false' : `one of ${known.join(', ')}`;
      throw PluginFault.invalid(this.#who, 'factsOf', [{ field: name, found: found(value), allowed }]);
    }
    return { ...facts } as Task['facts'];
  }

  async *#judge(
    tried: Iterable<Try> | AsyncIterable<Try>,
    signal?: AbortSignal,
  ): AsyncGenerator<Verdict, void, undefined> {
    const stop = this.#stopping(signal);
    stop.throwIfAborted();
    // Only an asynchronous source can block, so only it needs to react to an abort.
    const source = Symbol.asyncIterator in tried ? abortable(tried, stop) : tried;
    for await (const one of source) {
      const verdict = this.#verdict(one, stop);
      yield verdict instanceof Promise ? await verdict : verdict;
      stop.throwIfAborted();
    }
  }

  #verdict({ task, answer: given }: Try, stop: AbortSignal): Judged | Promise<Judged> {
    const answer = deepFreeze(this.#understood(given));
    const tried = { ...this.#taskOf(task), answer };
    return whenReady(
      this.#call('judge', () => this.#of.judge(tried), stop),
      (said) => this.#judged(said, answer, given),
    );
  }

  #judged(said: VerdictOf<string, string, string>, answer: unknown, given: unknown): Judged {
    const failures = said?.failures ?? [];
    const verdict = {
      ...said,
      success: failures.length === 0,
      failures,
      metrics: said?.metrics ?? {},
      ...(answer === null || answer === given ? {} : { understood: answer }),
    } as Judged;
    const issues = this.#verdicts.issues(verdict, 'verdict');
    if (issues.length > 0) throw PluginFault.invalid(this.#who, 'judge', issues);
    return verdict;
  }

  /** Null if it is not an answer. */
  #understood(given: unknown): unknown {
    const { read, answer } = this.#of;
    let value = given;
    if (typeof given === 'string' && read !== undefined) {
      try {
        value = read(given);
      } catch (fault) {
        throw PluginFault.threw(this.#who, 'read', fault);
      }
    }
    if (answer === undefined) return value ?? null;
    const parsed = answer.safeParse(value);
    return parsed.success ? parsed.data : null;
  }

  #taskOf({ family, instance }: Task): { readonly family: string; readonly instance: object } {
    return { family, instance: this.#instance(instance, 'judge') };
  }

  async #draw(task: Task, answer: unknown): Promise<Drawing> {
    this.#closing.signal.throwIfAborted();
    const { draw } = this.#of;
    if (draw === undefined) throw new Error('it has no draw');
    const drawn = await this.#call('draw', () =>
      draw({ ...this.#taskOf(task), ...(answer === undefined ? {} : { answer }) }),
    );
    const drawing = typeof drawn === 'string' ? { text: drawn } : drawn;
    if (typeof drawing?.text !== 'string')
      throw PluginFault.invalid(this.#who, 'draw', [{ field: 'text', found: found(drawing?.text), allowed: 'a text' }]);
    const wrong = drawing.frames?.findIndex(
      (frame) => typeof frame?.svg !== 'string' || typeof frame.says !== 'string',
    );
    if (wrong === undefined || wrong === -1) return drawing;
    const issue = {
      field: `frames[${wrong}]`,
      found: found(drawing.frames?.[wrong]),
      allowed: 'svg and says as texts',
    };
    throw PluginFault.invalid(this.#who, 'draw', [issue]);
  }

  async #solve(task: Task, stop: AbortSignal): Promise<unknown> {
    stop.throwIfAborted();
    const { solve } = this.#of;
    if (solve === undefined) throw new Error('it has no solve');
    return (await this.#call('solve', () => solve(this.#taskOf(task)), stop)) ?? null;
  }

  async #prompt(task: Task): Promise<string> {
    this.#closing.signal.throwIfAborted();
    const { prompt } = this.#of;
    if (prompt === undefined) throw new Error('it has no prompt');
    const text = await this.#call('prompt', () => prompt(this.#taskOf(task)));
    if (typeof text === 'string') return text;
    throw PluginFault.invalid(this.#who, 'prompt', [{ field: '', found: found(text), allowed: 'a text' }]);
  }

  async *#rollout({
    tasks,
    samples,
    policy,
    seed,
    signal,
  }: Parameters<NonNullable<Environment['rollout']>>[0]): AsyncGenerator<Rollout, void, undefined> {
    const stop = this.#stopping(signal);
    stop.throwIfAborted();
    const { player } = this.#of;
    if (player === undefined) throw new Error('it has no player');
    const play = await this.#call('player', () => player(policy), stop);
    for (const task of tasks) {
      for (let sample = 0; sample < samples; sample++) {
        stop.throwIfAborted();
        const random = new Random(seed, 'play', task.digest ?? this.#digest(task.instance, 'play'), sample);
        const playing = this.#call('play', () => play({ ...this.#taskOf(task), random }), stop);
        const played = playing instanceof Promise ? await playing : playing;
        const { answer, agentSteps, sureness } = this.#played(played);
        const judged = this.#verdict({ task, answer }, stop);
        const verdict = judged instanceof Promise ? await judged : judged;
        const report = {
          ...(agentSteps === undefined ? {} : { agentSteps }),
          ...(sureness === undefined ? {} : { sureness }),
        };
        yield { task, sample, answer, verdict, ...report };
      }
    }
  }

  #played(played: PlayResult): PlayResult {
    const { agentSteps, sureness } = played ?? {};
    if (agentSteps !== undefined && !(Number.isSafeInteger(agentSteps) && agentSteps >= 0)) {
      const issue = { field: 'agentSteps', found: found(agentSteps), allowed: 'a whole number from 0' };
      throw PluginFault.invalid(this.#who, 'play', [issue]);
    }
    const { logProbability = 0, entropy = 0, value = 0 } = sureness ?? {};
    for (const [field, number] of Object.entries({ logProbability, entropy, value })) {
      if (Number.isFinite(number)) continue;
      const issue = { field: `sureness.${field}`, found: found(number), allowed: 'a number' };
      throw PluginFault.invalid(this.#who, 'play', [issue]);
    }
    return played ?? { answer: null };
  }
}

interface InCells {
  readonly split: Split;
  readonly seed: string;
  readonly settings: Numbers;
  readonly cells: SuiteOf<string, string>['cells'];
  readonly perCell: number;
}

interface Place {
  readonly split: Split;
  readonly seed: string;
  readonly family: string;
  readonly knobs: Numbers;
  readonly settings: Numbers;
  readonly number: number;
  readonly taken: Set<string>;
}

function splitOf(like: string): Split {
  const part = Number.parseInt(like.slice(0, 8), 16) % 100;
  return (bounds.find(([below]) => part < below) as (typeof bounds)[number])[1];
}
