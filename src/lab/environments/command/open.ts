// An environment that is a program of somebody else's: lines of JSON in, lines of JSON out. docs/environments.md is for who
// writes one.
import type { Issue } from '../../../../schemas/errors.ts';
import type { AllowedProgram } from '../../programs/allowed.ts';
import type { Launch } from '../../programs/child.ts';
import { sentence } from '../../programs/errors.ts';
import { checkConfiguration } from '../check-configuration.ts';
import type { Drawing, Environment, Tasks } from '../environment.ts';
import { BadConfiguration, EnvironmentClosed, UnknownSuite } from '../errors.ts';
import { isObject } from '../knobs.ts';
import { type Description, descriptionOf, type OptionalRequest } from './description.ts';
import { NotUnderstood, ProgramRefused } from './errors.ts';
import { inOrder } from './in-order.ts';
import { Judging, judgedTogether } from './judging.ts';
import { type Fields, type Limits, Program, type Request } from './program.ts';
import { Programs } from './programs.ts';
import { rolloutRequest, rolloutsOf } from './rollouts.ts';
import { type Shaped, shapes } from './shapes.ts';
import { streamed } from './streaming.ts';
import { tasksOf } from './tasks.ts';
import { Verdicts } from './verdicts.ts';

export interface CommandOptions {
  readonly program: AllowedProgram;
  /** Environment variables that icecore sets for it. */
  readonly variables?: Launch['variables'];
  readonly limits?: Partial<Limits>;
  /** Gives up the opening when aborted, with the signal's reason. */
  readonly signal?: AbortSignal;
}

/** A minute to load, a minute to say the next thing, and no line that nobody could want. */
export const usualLimits: Limits = { startMs: 60_000, replyMs: 60_000, lineBytes: 16 * 2 ** 20 };

/** Starts the program and asks it to describe itself. Throws what is wrong with either; then nothing is left running. */
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
    judge: (tries, signal) => inOrder(tries, judgedTogether, (tried) => judging.verdict(tried), signal),
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

/** Tasks of a configuration that was checked; the program may find more wrong with it than the descriptor tells. */
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
  if (issues.length > 0) throw program.nonsense(sentence(issues), fields, issues);
  return fields as Shaped<(typeof shapes)[Name]>;
}
