// What `icecore lake solve` and `icecore lake judge` do: they read instances and write what is to be said of each, a line
// for a line, in the order in which they came.
import { availableParallelism } from 'node:os';
import { count, counted } from '../../base/quantity.ts';
import { visible } from '../../base/visible.ts';
import { defaultEffort } from '../../lab/lake/solver/solver.ts';
import type { LineJob } from '../../lab/lake/workers/jobs.ts';
import { splitLines } from '../../producers/intake/pieces.ts';
import type { Context } from '../context.ts';
import { Progress } from '../output/progress.ts';
import { openSource, type Source } from '../source.ts';
import { askedIn, longestLine } from './asked.ts';
import { Desk, type Written } from './desk.ts';

export interface FilterOptions {
  readonly effort?: number;
  readonly jobs?: number;
}

interface Tally {
  lines: number;
  refused: number;
  firstRefusal: string;
}

export async function filter(
  context: Context,
  verb: LineJob['verb'],
  file: string,
  { effort = defaultEffort, jobs = availableParallelism() }: FilterOptions,
): Promise<number> {
  const source = await openSource(context, file, [], 'instances, one a line,');
  const tally = await answered(context, source, { verb, effort }, jobs);
  if (tally.refused === 0) return 0;
  await context.say(complaint(tally));
  return 1;
}

async function answered(context: Context, source: Source, duty: LineJob, jobs: number): Promise<Tally> {
  const { stdout } = context.io;
  const tally: Tally = { lines: 0, refused: 0, firstRefusal: '' };
  const progress = new Progress(context, 'lines');
  let done = 0;
  const write = async (text: string, { lines, bytes, refused }: Written): Promise<void> => {
    await stdout.write(text);
    tally.lines += lines;
    tally.refused += refused.length;
    if (tally.firstRefusal === '') tally.firstRefusal = refused[0] ?? '';
    done += bytes;
    // Between other programs, or on the terminal itself, it would stand in the way of what they say.
    if (!stdout.isFile) return;
    await progress.update({ done: tally.lines, bytes: done, totalBytes: source.totalBytes });
  };
  const desk = new Desk({ duty, jobs, signal: context.signal, write, onFault: () => source.close() });
  try {
    for await (const pieces of splitLines(source.bytes, longestLine)) await desk.take(askedIn(pieces));
    await desk.finish();
    return tally;
  } catch (error) {
    // A fault of the desk closes the source, which is no fault of the source's.
    desk.throwFault();
    throw error;
  } finally {
    source.close();
    await desk.close();
    await progress.end();
  }
}

function complaint({ lines, refused, firstRefusal }: Tally): string {
  const first = refused === 1 ? firstRefusal : `the first is ${firstRefusal}`;
  return visible(`${count(refused)} of ${counted(lines, 'line')} could not be answered; ${first}`);
}
