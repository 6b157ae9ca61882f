// The streams of tasks that a program makes, and that they are what was asked for: as many, of known families, and where
// there are fewer, with a shortage that says so.
import { NotCanonical } from '../../../../schemas/canonical.ts';
import type { Descriptor } from '../../../../schemas/environment.ts';
import { sentence } from '../../programs/errors.ts';
import { digestOf } from '../digest.ts';
import type { Shortage } from '../environment.ts';
import type { Task } from '../task.ts';
import type { Fields, Program } from './program.ts';
import { type Shaped, shapes } from './shapes.ts';
import type { Reading } from './streaming.ts';

/** Reads one stream of tasks. `wanted` is how many were asked for, where that is known before. */
export function tasksOf({ families }: Descriptor, wanted: number | undefined): Reading<Task, readonly Shortage[]> {
  const known = new Set(families.map(({ family }) => family));
  let count = 0;
  return {
    item(fields, program) {
      const task = taskOf(fields, program);
      if (!known.has(task.family)) throw program.nonsense(`a task of the unknown family "${task.family}"`, fields);
      count += 1;
      if (wanted !== undefined && count > wanted)
        throw program.nonsense(`more than the ${wanted} tasks asked for`, fields);
      return task;
    },
    end(fields, program) {
      const issues = shapes.endOfTasks.issues(fields);
      if (issues.length > 0) throw program.nonsense(sentence(issues), fields, issues);
      const { shortages = [] } = fields as Shaped<typeof shapes.endOfTasks>;
      requireAccount(count, wanted, shortages as readonly Shortage[], program, fields);
      return shortages as readonly Shortage[];
    },
  };
}

function taskOf(fields: Fields, program: Program): Task {
  const issues = shapes.task.issues(fields);
  if (issues.length > 0) throw program.nonsense(sentence(issues), fields, issues);
  const { task } = fields as Shaped<typeof shapes.task>;
  try {
    return { ...task, facts: task.facts ?? {}, digest: digestOf(task.instance) } as Task;
  } catch (error) {
    if (!(error instanceof NotCanonical)) throw error;
    throw program.nonsense(
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
    throw program.nonsense(
      `a shortage of ${cell.family ?? 'no family'} with ${achieved} of ${asked}, which is none`,
      fields,
    );
  }
  if (wanted === undefined) return;
  const missing = shortages.reduce((sum, { asked, achieved }) => sum + asked - achieved, 0);
  if (count + missing === wanted) return;
  const told = missing === 0 ? 'without a word about the others' : `with shortages of ${missing} together`;
  throw program.nonsense(`${count} tasks where ${wanted} were asked for, ${told}`, fields);
}
