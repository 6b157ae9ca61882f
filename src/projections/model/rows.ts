// Rows of the read model's tables as JSON: DuckDB reads each value as the type of its column. Whoever only opens tables needs the
// version and the types, and not the code that makes rows.
import type { EventData, TypeName } from '../../../schemas/catalogue.ts';

/** Must change with the rows that the same events give: all tables of the model are then filled again. */
export const modelVersion = 4;

/** The event types that rows are made from. */
export const modelTypes: readonly TypeName[] = [
  'RunStarted',
  'StageStarted',
  'TrainingRecorded',
  'EvaluationRecorded',
  'EvidenceSealed',
  'SummaryRecorded',
  'ContextRecorded',
  'ProposalRecorded',
  'ProposalRejected',
  'ProposalErrored',
  'ConfigAdopted',
  'StageCompleted',
  'RunCompleted',
  'RunFailed',
  'AblationStarted',
  'ArmProposed',
  'ArmRejected',
  'ArmErrored',
  'ArmTrained',
  'ArmEvaluated',
  'AblationCompleted',
];

export type Row = Readonly<Record<string, unknown>>;

/** The rows by table of schema `log`. */
export type Rows = Readonly<Record<string, readonly Row[]>>;

/** The amount if a BIGINT can hold it, otherwise null. */
export function wholeNumber(amount: number | undefined): number | null {
  return amount === undefined || Math.abs(amount) >= 2 ** 63 ? null : Math.round(amount);
}

type Checkpoint = EventData['TrainingRecorded']['checkpoint'];

export function checkpointIn(checkpoint: Checkpoint): string | null {
  return checkpoint?.digest ?? checkpoint?.reference ?? null;
}

export function differenceOf(later: number | null | undefined, earlier: number | null | undefined): number | null {
  return typeof later === 'number' && typeof earlier === 'number' ? later - earlier : null;
}

/** DuckDB's text order, which compares bytes. */
export function byBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
