// How far the tables are while they are brought up to date.
import type { Ledger } from '../../ledger/ledger.ts';
import type { ProjectOptions } from '../../projections/projector/projector.ts';
import type { Context } from '../context.ts';
import { Progress } from '../output/progress.ts';
import { tablesTrust } from './folder.ts';

/** Shows how far it is, where it takes long; once it is through, what comes next begins on a line of its own. */
export async function withProgress<Result>(
  context: Context,
  ledger: Ledger,
  body: (options: ProjectOptions, isThrough: () => Promise<void>) => Promise<Result>,
): Promise<Result> {
  const { events: of } = await ledger.head();
  const progress = new Progress(context, 'events in tables');
  const notes = new Set<string>();
  try {
    const options = {
      trust: tablesTrust(context.io),
      signal: context.signal,
      progress: (done: number) => void progress.update({ done, of }),
      onNote: (note: string) => void notes.add(note),
    };
    return await body(options, () => progress.end());
  } finally {
    await progress.end();
    for (const note of notes) await context.say(note);
  }
}
