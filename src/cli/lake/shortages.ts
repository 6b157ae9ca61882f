// What could not be generated as it was asked for: as a table for people, as a report for programs.
import { writeFileSync } from 'node:fs';
import type { LakeReport } from '../../../schemas/lake-output.ts';
import { type Column, table } from '../../analysis/document/layout.ts';
import { count, counted } from '../../base/quantity.ts';
import type { LakeShortage } from '../../lab/lake/generator/generate.ts';
import type { GenerateRequest } from '../../lab/lake/workers/pool.ts';
import type { Context } from '../context.ts';
import { jsonText } from '../output/json.ts';

/** Which holes an instance has is left to a suite: where others stand in, nothing is missing. */
export function worthTelling(request: GenerateRequest, shortages: readonly LakeShortage[]): readonly LakeShortage[] {
  if (request.kind !== 'suite') return shortages;
  return shortages.filter(({ asked, achieved, replaced }) => achieved + replaced < asked);
}

export interface Outcome {
  readonly asked: number;
  readonly made: number;
  readonly shortages: readonly LakeShortage[];
}

export async function tellShortages(context: Context, { asked, made, shortages }: Outcome): Promise<void> {
  if (shortages.length === 0 || context.flags.quiet) return;
  const missing = asked - made;
  const first =
    missing > 0
      ? `${count(made)} of ${counted(asked, 'instance')} were made; of these kinds there are no more:`
      : 'of these kinds there are no more; others stand in for them:';
  const { stderr } = context.io;
  await stderr.write(`${first}\n${table(columns, shortages.map(cells), stderr)}`);
}

const right = (title: string): Column => ({ title, align: 'right' });

const columns: readonly Column[] = [
  right('size'),
  right('agents'),
  right('holes'),
  { title: 'wait' },
  right('asked'),
  right('made'),
  right('stand-ins'),
  { title: 'why', wraps: true },
];

function cells({ kind, asked, achieved, replaced, says }: LakeShortage): readonly string[] {
  const { size, agents, holes, needsWait } = kind;
  const numbers = [asked, achieved, replaced].map(count);
  return [`${size}x${size}`, count(agents), count(holes), needsWait ? 'yes' : 'no', ...numbers, says];
}

export function writeReport(path: string, { asked, made, shortages }: Outcome): void {
  const report: LakeReport = {
    as_of: new Date().toISOString(),
    asked,
    made,
    total: shortages.length,
    rows: shortages.map(({ kind, asked: wanted, achieved, replaced, says }) => ({
      ...kind,
      asked: wanted,
      made: achieved,
      standIns: replaced,
      says,
    })),
    truncated: false,
  };
  writeFileSync(path, `${jsonText(report)}\n`);
}
