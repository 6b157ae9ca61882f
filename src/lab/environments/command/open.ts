// An external environment program that exchanges lines of JSON. docs/environments.md describes how to write one.

import { NotCanonical } from '../../../../schemas/canonical.ts';
import type { Descriptor } from '../../../../schemas/environment.ts';
import type { Issue } from '../../../../schemas/errors.ts';
import { isObject } from '../../../../schemas/json-text.ts';
import { mapInOrder } from '../../../base/in-order.ts';
import type { Launch } from '../../programs/child.ts';
import { Inbox } from '../../programs/lines.ts';
import { type AllowedProgram, sentence } from '../../programs/program.ts';
import { checkConfiguration } from '../configuration.ts';
import {
  BadConfiguration,
  type Drawing,
  digestOf,
  type Environment,
  EnvironmentClosed,
  type Rollout,
  type RolloutRequest,
  type Shortage,
  type Task,
  type Tasks,
  UnknownSuite,
} from '../environment.ts';
import { NotUnderstood, ProgramRefused } from './faults.ts';
import { Judging, judgedTogether } from './judging.ts';
import { type Fields, type Limits, Program, Programs, type Request } from './program.ts';
import { type Description, descriptionOf, type OptionalRequest, type Shaped, shapes, Verdicts } from './replies.ts';

export interface CommandOptions {
  readonly program: AllowedProgram;
  /** Environment variables that icecore sets for it. */
  readonly variables?: Launch['variables'];
  readonly limits?: Partial<Limits>;
  /** Aborts the opening with the signal's reason. */
  readonly signal?: AbortSignal;
}

/** A minute to load, a minute per reply, and a generous limit for the length of a line. */
export const usualLimits: Limits = { startMs: 60_000, replyMs: 60_000, lineBytes: 16 * 2 ** 20 };

/** Starts the program and requests its description. Throws if either fails; then no process is left running. */
export async function openCommand(options: CommandOptions): Promise<Environment> {
  const { program, variables = {}, signal } = options;
  const limits = { ...usualLimits, ...options.limits };
  signal?.throwIfAborted();
  const programs = new Programs(() => new Program({ program, variables }, limits));
  const abort = (): void => void programs.close(signal?.reason);
  signal?.addEventListener('abort', abort, { once: true });
  try {
    return environmentOf(await programs.open(descriptionOf), programs);
  } catch (error) {
    await programs.close(new EnvironmentClosed(program.command[0]));
    throw error;
  } finally {
    signal?.removeEventListener('abort', abort);
  }
}

function environmentOf({ descriptor, start, suites, understands }: Description, programs: Programs): Environment {
  const { environment } = descriptor;
  const verdicts = new Verdicts(descriptor);
  const judging = new Judging(programs, verdicts);
  const check = (configuration: unknown): Issue[] => checkConfiguration(descriptor, configuration, start);
  const understood = (request: OptionalRequest): void => {
    if (!understands.has(request)) throw new NotUnderstood(environment, request, [...understands]);
  };
  const tasks = (request: Request, wanted: number | undefined, signal?: AbortSignal): Tasks =>
    streamed(programs, request, tasksOf(descriptor, wanted), signal);
  return {
    descriptor,
    start,
    suites,
    check,
    generate: ({ signal, ...request }) =>
      configured(environment, check(request.configuration), () =>
        tasks({ do: 'generate', ...request }, request.count, signal),
      ),
    async *probe({ signal, ...request }) {
      understood('probe');
      return yield* configured(environment, check(request.configuration), () =>
        tasks({ do: 'probe', ...request }, undefined, signal),
      );
    },
    async *suite(name, signal) {
      const suite = suites.find((one) => one.name === name);
      if (suite === undefined) {
        throw new UnknownSuite(
          environment,
          name,
          suites.map((one) => one.name),
        );
      }
      return yield* tasks({ do: 'suite', suite: name }, suite.tasks, signal);
    },
    judge: (tries, signal) => mapInOrder(tries, judgedTogether, (tried) => judging.verdict(tried), signal),
    ...(understands.has('draw') ? { draw: drawnBy(programs) } : {}),
    ...(understands.has('prompt') ? { prompt: promptedBy(programs) } : {}),
    ...(understands.has('rollout')
      ? {
          rollout: ({ signal, ...request }) =>
            streamed(programs, rolloutRequest(request), rolloutsOf(request, verdicts), signal),
        }
      : {}),
    close: () => programs.close(new EnvironmentClosed(environment)),
  };
}

/** Tasks of a checked configuration; the program may find more issues than the descriptor does. */
async function* configured(environment: string, issues: readonly Issue[], tasks: () => Tasks): Tasks {
  if (issues.length > 0) throw new BadConfiguration(environment, issues);
  try {
    return yield* tasks();
  } catch (error) {
    if (error instanceof ProgramRefused && areIssues(error.issues))
      throw new BadConfiguration(environment, error.issues);
    throw error;
  }
}

function areIssues(said: unknown): said is readonly Issue[] {
  const isIssue = (one: unknown): boolean =>
    isObject(one) && ['field', 'found', 'allowed'].every((key) => typeof one[key] === 'string');
  return Array.isArray(said) && said.length > 0 && said.every(isIssue);
}

function drawnBy(programs: Programs): NonNullable<Environment['draw']> {
  return ({ instance }, answer, verdict) => {
    const known = { ...(answer === undefined ? {} : { answer }), ...(verdict === undefined ? {} : { verdict }) };
    return programs.ask({ do: 'draw', instance, ...known }, (fields, program) => {
      return shaped('draw', fields, program).drawing as Drawing;
    });
  };
}

function promptedBy(programs: Programs): NonNullable<Environment['prompt']> {
  return ({ instance }) =>
    programs.ask({ do: 'prompt', instance }, (fields, program) => shaped('prompt', fields, program).prompt);
}

function shaped<Name extends 'draw' | 'prompt'>(name: Name, fields: Fields, program: Program) {
  const issues = shapes[name].issues(fields);
  if (issues.length > 0) throw program.invalidReply(sentence(issues), fields, issues);
  return fields as Shaped<(typeof shapes)[Name]>;
}

// Reads task streams and checks them: the requested number, known families, and an explanation for every shortage.

/** Reads one stream of tasks. `wanted` is the requested number, if it is known in advance. */
function tasksOf({ families }: Descriptor, wanted: number | undefined): Reading<Task, readonly Shortage[]> {
  const known = new Set(families.map(({ family }) => family));
  let count = 0;
  return {
    item(fields, program) {
      const task = taskOf(fields, program);
      if (!known.has(task.family)) throw program.invalidReply(`a task of the unknown family "${task.family}"`, fields);
      count += 1;
      if (wanted !== undefined && count > wanted)
        throw program.invalidReply(`more than the ${wanted} tasks asked for`, fields);
      return task;
    },
    end(fields, program) {
      const issues = shapes.endOfTasks.issues(fields);
      if (issues.length > 0) throw program.invalidReply(sentence(issues), fields, issues);
      const { shortages = [] } = fields as Shaped<typeof shapes.endOfTasks>;
      requireAccount(count, wanted, shortages as readonly Shortage[], program, fields);
      return shortages as readonly Shortage[];
    },
  };
}

function taskOf(fields: Fields, program: Program): Task {
  const issues = shapes.task.issues(fields);
  if (issues.length > 0) throw program.invalidReply(sentence(issues), fields, issues);
  const { task } = fields as Shaped<typeof shapes.task>;
  try {
    return { ...task, facts: task.facts ?? {}, digest: digestOf(task.instance) } as Task;
  } catch (error) {
    if (!(error instanceof NotCanonical)) throw error;
    throw program.invalidReply(
      `task.instance.${error.field}: found ${error.found}, allowed: what an event can hold`,
      fields,
    );
  }
}

function requireAccount(
  count: number,
  wanted: number | undefined,
  shortages: readonly Shortage[],
  program: Program,
  fields: Fields,
): void {
  for (const { asked, achieved, cell } of shortages) {
    if (achieved < asked) continue;
    throw program.invalidReply(
      `a shortage of ${cell.family ?? 'no family'} with ${achieved} of ${asked}, which is not a shortage`,
      fields,
    );
  }
  if (wanted === undefined) return;
  const missing = shortages.reduce((sum, { asked, achieved }) => sum + asked - achieved, 0);
  if (count + missing === wanted) return;
  const shortfall = missing === 0 ? 'without an explanation for the rest' : `with shortages of ${missing} in total`;
  throw program.invalidReply(`${count} tasks instead of ${wanted}, ${shortfall}`, fields);
}

// The rollouts of a program that runs the policy itself: for every task in order, its samples in order.

function rolloutRequest({ tasks, samples, policy, seed }: RolloutRequest): Request {
  const asked = tasks.map(({ id, instance }) => ({ id, instance }));
  return { do: 'rollout', tasks: asked, samples, policy, seed };
}

function rolloutsOf({ tasks, samples }: RolloutRequest, verdicts: Verdicts): Reading<Rollout, void> {
  let count = 0;
  return {
    item(fields, program) {
      const { task: id, verdict, ...said } = saidRollout(fields, program);
      const task = tasks[Math.floor(count / samples)];
      const sample = count % samples;
      if (task === undefined) throw program.invalidReply(`more than the ${count} rollouts asked for`, fields);
      if (task.id !== id || sample !== said.sample) {
        throw program.invalidReply(`a rollout out of order: sample ${sample} of task ${task.id} was expected`, fields);
      }
      count += 1;
      return {
        ...said,
        task,
        verdict: verdicts.checkedVerdict(verdict, 'rollout.verdict', fields, program),
      } as Rollout;
    },
    end(fields, program) {
      const issues = shapes.end.issues(fields);
      if (issues.length > 0) throw program.invalidReply(sentence(issues), fields, issues);
      const wanted = tasks.length * samples;
      if (count < wanted) throw program.invalidReply(`${count} rollouts instead of ${wanted}`, fields);
    },
  };
}

function saidRollout(fields: Fields, program: Program): Shaped<typeof shapes.rollout>['rollout'] {
  const issues = shapes.rollout.issues(fields);
  if (issues.length > 0) throw program.invalidReply(sentence(issues), fields, issues);
  return (fields as Shaped<typeof shapes.rollout>).rollout;
}

// A request with a stream of replies, as a generator. If the reader stops early, the program is killed, because nothing
// else makes it stop; the next request starts another one.

/** How to read the replies to one request; each method throws if a reply is invalid. */
export interface Reading<Item, Result> {
  item(fields: Fields, program: Program): Item;
  /** The last reply, the one with `"done": true`. */
  end(fields: Fields, program: Program): Result;
}

async function* streamed<Item, Result>(
  programs: Programs,
  request: Request,
  reading: Reading<Item, Result>,
  signal?: AbortSignal,
): AsyncGenerator<Item, Result, undefined> {
  signal?.throwIfAborted();
  const { program, release } = programs.hold();
  let isOver = false;
  const inbox = new Inbox<Item, Result>({
    pause: () => program.pause(),
    resume: () => isOver || program.resume(),
  });
  /** The program has sent everything and is free for others, even if the reader has not consumed all of it. */
  const over = (): true => {
    if (!isOver) release();
    isOver = true;
    return true;
  };
  const abort = (): void => inbox.abort(signal?.reason);
  signal?.addEventListener('abort', abort, { once: true });
  program.send(request, {
    reply: (fields, length) => {
      try {
        if (fields['done'] === undefined) {
          inbox.put(reading.item(fields, program), length);
          return false;
        }
        inbox.finish(reading.end(fields, program));
        return over();
      } catch (error) {
        void program.kill(error as Error);
        return true;
      }
    },
    fail: (error) => {
      over();
      inbox.fail(error);
    },
  });
  try {
    for (;;) {
      const next = await inbox.next();
      if (next.done === true) return next.value;
      yield next.value;
    }
  } finally {
    signal?.removeEventListener('abort', abort);
    if (!isOver) await program.kill();
  }
}
