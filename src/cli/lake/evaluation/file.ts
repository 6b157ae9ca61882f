// Lakes of somebody's own, from a file with one a line, as tasks. All are read before the first is planned for, so that a
// bad line is told at once and not after an hour.
import { IcecoreError } from '../../../../schemas/errors.ts';
import { parseJson } from '../../../../schemas/json-text.ts';
import { counted } from '../../../base/quantity.ts';
import type { Split, Task } from '../../../lab/environments/environment.ts';
import { poolOf } from '../../../lab/lake/generator/maker.ts';
import { digestOf, NotAnInstance, symmetryDigestOf } from '../../../lab/lake/instance.ts';
import { instanceOf, lineOf } from '../../../lab/lake/line.ts';
import { splitLines } from '../../../producers/intake/pieces.ts';
import type { Context } from '../../context.ts';
import { openSource } from '../../source.ts';
import { faultIn } from '../answer.ts';
import { type Asked, askedIn, longestLine } from '../asked.ts';

export interface Filed {
  readonly tasks: readonly Task[];
  readonly split: Split;
}

/** Throws BadLake, which names the line, and an error where there is none. */
export async function lakesIn(context: Context, file: string): Promise<Filed> {
  const source = await openSource(context, file, [], 'lakes, one a line,');
  const tasks: Task[] = [];
  try {
    for await (const pieces of splitLines(source.bytes, longestLine)) {
      for (const asked of askedIn(pieces)) tasks.push(taskIn(asked, source.name));
    }
  } finally {
    source.close();
  }
  if (tasks.length === 0) throw new NoLakes(source.name);
  return { tasks, split: await splitOf(context, tasks) };
}

export class NoLakes extends IcecoreError {
  override readonly name = 'NoLakes';

  constructor(source: string) {
    super('bad-input', `${source}: found no lake, allowed: a lake a line, as icecore lake generate prints them`, {
      facts: { source },
    });
  }
}

/** What a line says of its optimum is not relied on: whether a plan is optimal is found out. */
function taskIn(asked: Asked, source: string): Task {
  const { instance, id } = read(asked, source);
  const { id: _, ...line } = lineOf(instance);
  return {
    id,
    family: String(instance.size),
    instance: line,
    digest: digestOf(instance),
    symmetryDigest: symmetryDigestOf(instance),
    facts: { agents: instance.agents.length, holes: line.holes.length },
    conditions: { agents: instance.agents.length },
  };
}

function read(asked: Asked, source: string) {
  const refuse = (fault: Parameters<typeof faultIn>[1]): IcecoreError => {
    const { message, kind, ...facts } = faultIn(asked, fault);
    return new IcecoreError(kind, `${source}: ${message}`, { facts });
  };
  try {
    const instance = instanceOf(parsed(asked));
    return { instance, id: instance.id ?? `line-${asked.line}` };
  } catch (error) {
    if (error instanceof NotAnInstance) throw refuse({ message: error.message, facts: error.facts });
    throw error instanceof SyntaxError ? refuse(null) : error;
  }
}

function parsed({ text, fault }: Asked): unknown {
  if (fault !== null) throw new SyntaxError(fault.found);
  return parseJson(text);
}

/** Of which pool they are; where some are to train on, that is told, for a policy may know them. */
async function splitOf(context: Context, tasks: readonly Task[]): Promise<Split> {
  const splits = tasks.map(({ symmetryDigest = '' }) => poolOf(symmetryDigest));
  const trained = splits.filter((split) => split === 'train').length;
  if (trained > 0) {
    const are = trained === 1 ? 'is' : 'are';
    await context.say(`${trained} of ${counted(tasks.length, 'lake')} ${are} of the pool that policies are trained on`);
    return 'train';
  }
  return splits[0] ?? 'validation';
}
