// The options that both commands share, from texts to what is meant, and the lakes opened.
import { availableParallelism } from 'node:os';
import { basename } from 'node:path';
import { IcecoreError } from '../../../../schemas/errors.ts';
import { suiteNamed } from '../../../../testbed/lake/generator/suites.ts';
import { countOf } from '../../../../testbed/lake/workers/pool.ts';
import { counted } from '../../../base/quantity.ts';
import type { Environment, Task } from '../../../lab/environments/environment.ts';
import type { Subject as Evaluable, Pool } from '../../../lab/evaluation/evaluate.ts';
import type { Context } from '../../context.ts';
import { Progress } from '../../output/progress.ts';
import type { Conditions } from './evaluation.ts';
import { defaultSeed, lakesIn, made, type Subject, type SubjectOptions, subjectOf } from './lakes.ts';

export interface EvaluatingOptions extends SubjectOptions {
  readonly samples: number;
  readonly sampled?: true;
  readonly jobs?: number;
  readonly spendingCap?: number;
}

export interface Meant {
  readonly subject: Subject;
  readonly conditions: Conditions;
  readonly jobs: number;
  readonly cap: number | null;
}

export function meantBy(context: Context, options: EvaluatingOptions): Meant {
  const { samples, sampled, seed = defaultSeed } = options;
  return {
    subject: subjectOf(context, options),
    conditions: {
      samples,
      greedy: sampled !== true,
      seed,
    },
    jobs: options.jobs ?? availableParallelism(),
    cap: options.spendingCap ?? null,
  };
}

export interface OpenedLakes {
  readonly subject: Evaluable;
  readonly lakes: number;
}

/** Throws where there is no lake to evaluate on. */
export async function openLakes(
  context: Context,
  environment: Environment,
  { subject, jobs }: Meant,
): Promise<OpenedLakes> {
  switch (subject.kind) {
    case 'suites': {
      const lakes = await makeSuites(context, environment, subject.names);
      return { subject: { suites: subject.names }, lakes };
    }
    case 'fresh': {
      const tasks = await freshLakes(context, subject, jobs);
      const { split, configuration, count, seed } = subject.request;
      const pool: Pool = { name: split, split, tasks, parameters: { configuration, count, seed } };
      return { subject: { tasks: pool }, lakes: tasks.length };
    }
    case 'file': {
      const { tasks, split } = await lakesIn(context, subject.path);
      const name = subject.path === '-' ? 'standard input' : basename(subject.path);
      return { subject: { tasks: { name, split, tasks } }, lakes: tasks.length };
    }
  }
}

/** Before anybody plans for them, so that the pace of planning can be told; says how many there are. */
async function makeSuites(context: Context, environment: Environment, names: readonly string[]): Promise<number> {
  const progress = new Progress(context, 'lakes made');
  const of = names.reduce((sum, name) => sum + lakesOfSuite(name), 0);
  let lakes = 0;
  try {
    for (const name of names) {
      for await (const _ of environment.suite(name, context.signal)) {
        lakes += 1;
        await progress.update({ done: lakes, of });
      }
    }
    return lakes;
  } finally {
    await progress.end();
  }
}

function lakesOfSuite(name: string): number {
  const suite = suiteNamed(name);
  return suite === null ? 0 : suite.sizes.length * suite.perSize;
}

async function freshLakes(
  context: Context,
  { request }: Extract<Subject, { kind: 'fresh' }>,
  jobs: number,
): Promise<readonly Task[]> {
  const tasks: Task[] = [];
  for await (const task of made(request, jobs, context.signal)) tasks.push(task);
  if (tasks.length === 0) throw noneMade();
  const asked = countOf(request);
  if (tasks.length < asked) await context.say(`${tasks.length} of ${counted(asked, 'lake')} could be made`);
  return tasks;
}

function noneMade(): IcecoreError {
  return new IcecoreError('bad-input', 'there are no lakes as they are asked for', {
    remedy: 'icecore lake generate with the same options says of which kinds there are none.',
  });
}
