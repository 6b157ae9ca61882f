// Whose stages a run's history is made of, and what is known of each: a fork has the stages it shares from its parent, up to
// the event it goes off from, and from its parent's parent.
import type { EventData, TypeName } from '../../../../schemas/catalogue.ts';
import { wilson } from '../../../lab/statistics/distributions.ts';
import { ablationOf, type Log, nameOf, numberIn, type Of, type Recorded } from './log.ts';

export interface Stage {
  readonly stage: number;
  readonly recorder: string;
  /** The last revision of the recorder's stream that is shared; null: all of it. */
  readonly upto: number | null;
}

const marks: readonly TypeName[] = [
  'StageStarted',
  'TrainingRecorded',
  'EvaluationRecorded',
  'EvidenceSealed',
  'SummaryRecorded',
  'StageCompleted',
  'ContextRecorded',
  'ProposalRecorded',
  'ProposalRejected',
  'ProposalErrored',
];

interface Extent {
  readonly upto: number | null;
  readonly descendants: readonly string[];
}

const whole: Extent = { upto: null, descendants: [] };

export function historyOf(log: Log, run: string, { upto, descendants }: Extent = whole): readonly Stage[] {
  const line = [...descendants, run];
  const within = <Event extends { revision: number }>(event: Event) => upto === null || event.revision <= upto;
  const parent = log.told(run, 'RunStarted').filter(within).at(-1)?.data.parent;
  const shared =
    parent === undefined || line.includes(parent.run)
      ? []
      : historyOf(log, parent.run, { upto: parent.revision, descendants: line }).filter(
          ({ stage }) => stage <= parent.stage,
        );
  const evidence = upto === null ? evidenceOf(log, run).map(({ stage }) => stage) : [];
  const spoken = log
    .told(run, ...marks)
    .filter(within)
    .flatMap((event) => historyStageOf(event) ?? []);
  const own = [...new Set([...spoken, ...evidence])].filter((stage) => !shared.some((one) => one.stage === stage));
  return [...shared, ...own.map((stage) => ({ stage, recorder: run, upto }))].sort((a, b) => a.stage - b.stage);
}

/** Made for the stage being configured, from the stages before it. */
const forTheNextStage: readonly TypeName[] = [
  'SummaryRecorded',
  'ContextRecorded',
  'ProposalRecorded',
  'ProposalRejected',
  'ProposalErrored',
];

/** The stage an event belongs to in the history: its own, or the last one it is made from. */
function historyStageOf({ type, stage }: Pick<Recorded, 'type' | 'stage'>): number | null {
  if (stage === null || !forTheNextStage.includes(type)) return stage;
  return stage > 1 ? stage - 1 : null;
}

export function evidenceOf(log: Log, run: string) {
  return [...log.streams.keys()].flatMap((stream) => {
    const name = nameOf(stream);
    return name.category === 'evidence' && name.run === run ? [{ stream, ...name }] : [];
  });
}

/** What the recorder of a stage says of it. */
export function toldOf<Type extends TypeName>(log: Log, { stage, recorder, upto }: Stage, type: Type) {
  return log
    .told(recorder, type)
    .filter(
      (event) => historyStageOf(event) === stage && (upto === null || event.revision <= upto),
    ) as readonly Of<Type>[];
}

/** Of a run and of those whose history it shares, the eldest first, what is part of its history. */
export function lineOf<Type extends TypeName>(
  log: Log,
  run: string,
  type: Type,
  stageOf: (event: Of<Type>) => number,
  { upto, descendants }: Extent = whole,
): readonly Of<Type>[] {
  const line = [...descendants, run];
  const within = <Event extends { revision: number }>(event: Event) => upto === null || event.revision <= upto;
  const parent = log.told(run, 'RunStarted').filter(within).at(-1)?.data.parent;
  const shared =
    parent === undefined || line.includes(parent.run)
      ? []
      : lineOf(log, parent.run, type, stageOf, { upto: parent.revision, descendants: line }).filter(
          (event) => stageOf(event) <= parent.stage,
        );
  return [...shared, ...log.told(run, type).filter(within)];
}

export function descriptorOf(log: Log, run: string): EventData['RunStarted']['descriptor'] | null {
  return lineOf(log, run, 'RunStarted', () => 0).findLast(({ data }) => data.descriptor !== undefined)?.data.descriptor;
}

type Evaluation = EventData['EvaluationRecorded'];

export interface Rate {
  readonly value: number | null;
  readonly low: number | null;
  readonly high: number | null;
}

export const unknown: Rate = { value: null, low: null, high: null };

export function validationOf(log: Log, stage: Stage | undefined): Evaluation | null {
  if (stage === undefined) return null;
  return toldOf(log, stage, 'EvaluationRecorded').findLast(({ data }) => data.split === 'validation')?.data ?? null;
}

/** Of a group, or with null of all: as the evaluation has it, or else as the counts of groups add up. */
export function rateIn(evaluation: Evaluation | null, measure: string, family: string | null): Rate {
  const results = evaluation?.results.filter((one) => one.measure === measure) ?? [];
  const own = results.find((one) => one.family === family);
  if (own !== undefined) return { value: numberIn(own.value), ...intervalOf(own) };
  const isCounted = results.every(({ count, of }) => count !== undefined && of !== undefined);
  const of = results.reduce((sum, one) => sum + (one.of ?? 0), 0);
  if (family !== null || !isCounted || of === 0) return unknown;
  const count = results.reduce((sum, one) => sum + (one.count ?? 0), 0);
  return { value: count / of, ...intervalOf({ count, of }) };
}

interface Counted {
  readonly count?: number | undefined;
  readonly of?: number | undefined;
  readonly low?: number | undefined;
  readonly high?: number | undefined;
}

function intervalOf({ count, of, low, high }: Counted): Pick<Rate, 'low' | 'high'> {
  return low !== undefined && high !== undefined ? { low, high } : counted(count, of);
}

export function counted(count: number | null | undefined, of: number | null | undefined): Pick<Rate, 'low' | 'high'> {
  if (typeof count !== 'number' || typeof of !== 'number' || of <= 0 || count < 0 || count > of)
    return { low: null, high: null };
  return wilson(count, of);
}

/** Trainings and evaluations of an ablation's arms are of the run whose history is replayed, but no part of it. */
export function isOfRun(event: Parameters<typeof ablationOf>[0]): boolean {
  return ablationOf(event) === null;
}
