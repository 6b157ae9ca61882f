// A stage as a value to show: a row of a run, and in full.
import type { Benchmark, StageRow, StageShown } from '../../../schemas/run-output.ts';
import { configurationOf, sharesIn } from '../../producers/history/configurations.ts';
import { decisionFor } from '../../producers/history/decisions.ts';
import {
  alertsOf,
  failureClasses,
  failuresOf,
  numberIn,
  rateFrom,
  rateOf,
  signalOf,
  validationOf,
} from '../../producers/history/figures.ts';
import { changedFiles, lastProgramFiles } from '../../producers/history/program-files.ts';
import type { RunRead } from '../../producers/history/reading.ts';
import type { Recorded, StageHistory } from '../../producers/history/run-history.ts';
import { type Notes, unknownShown } from './notes.ts';
import { overspentIn } from './spending.ts';

export function stageRow(read: RunRead, history: StageHistory): StageRow {
  const { stage } = history;
  const configuration = configurationOf(read, stage);
  const validation = validationOf(history)?.data ?? null;
  return {
    stage,
    isShared: read.parent !== null && stage <= read.parent.stage,
    isOver: history.completed !== null,
    configuration: configuration?.digest ?? null,
    shares: sharesIn(read.descriptor, configuration),
    valid: rateOf(validation, 'valid'),
    optimal: rateOf(validation, 'optimal'),
    unjudged: rateOf(validation, 'fault').count,
    signal: signalOf(history),
    failures: failureClasses(failuresOf(history)),
    alerts: alertsOf(history).map((one) => ({ ...one })),
    overspent: overspentIn(read, history),
    changedPrograms: changedProgramsIn(read, stage),
    decision: decisionFor(read, stage),
  };
}

/** The files of its programs that differ from those of the last training before it. */
function changedProgramsIn({ stages }: RunRead, stage: number): StageRow['changedPrograms'] {
  const before = lastProgramFiles(stages.filter((one) => one.stage < stage));
  const now = lastProgramFiles(stages.filter((one) => one.stage === stage));
  if (before === null || now === null) return [];
  return changedFiles(before.files, now.files).map((file) => ({ file, since: before.stage }));
}

export function benchmarksOf({ stages, outside }: RunRead): Benchmark[] {
  const inStages = stages.flatMap(({ stage, evaluations }) => benchmarksIn(stage, evaluations));
  return [...benchmarksIn(null, outside), ...inStages];
}

function benchmarksIn(stage: number | null, evaluations: readonly Recorded<'EvaluationRecorded'>[]): Benchmark[] {
  return evaluations
    .filter(({ data }) => data.split === 'test')
    .map(({ data }) => ({
      suite: data.suite.name,
      stage,
      valid: rateOf(data, 'valid'),
      optimal: rateOf(data, 'optimal'),
    }));
}

export function stageShown(read: RunRead, history: StageHistory, { notes, opaque }: Notes): Omit<StageShown, 'ledger'> {
  const failures = failuresOf(history);
  const { started, completed, training } = history;
  const left = completed?.data.checkpoint ?? training?.data.checkpoint ?? null;
  return {
    run: read.run,
    name: read.name,
    ...stageRow(read, history),
    knobs: (configurationOf(read, history.stage)?.knobs ?? []).map((one) => ({ ...one })),
    seed: started.data.seed ?? null,
    checkpoint: left?.reference ?? null,
    training: trainingOf(training),
    evaluations: history.evaluations.map(evaluationShown),
    failuresByFamily: failures.byFamily.map((one) => ({ ...one })),
    failuresFrom: failures.from,
    notes: notes.filter(({ stage }) => stage === history.stage),
    opaque: unknownShown([...read.opaque, ...opaque].filter(({ envelope }) => envelope.stage === history.stage)),
    recorded: typesIn(history),
  };
}

function evaluationShown({ id, data }: Recorded<'EvaluationRecorded'>): StageShown['evaluations'][number] {
  const results = data.results.map((one) => ({ family: one.family, measure: one.measure, ...rateFrom(one) }));
  return { suite: data.suite.name, split: data.split, rollouts: data.rollouts, event: id, results };
}

function trainingOf(training: StageHistory['training']): StageShown['training'] {
  if (training === null) return null;
  const { spent = null, learningSignal: signal = [], curve = [] } = training.data;
  const measures = [...new Set(curve.flatMap(({ values }) => Object.keys(values)))];
  return {
    event: training.id,
    spent: spent === null ? null : { ...spent },
    signal: signal.map(({ family, share, entropy, kl }) => ({
      family,
      share: numberIn(share),
      entropy: numberIn(entropy),
      kl: numberIn(kl),
    })),
    curve: measures.map((measure) => ({
      measure,
      values: curve.flatMap(({ values }) => numberIn(values[measure]) ?? []),
    })),
  };
}

function typesIn(history: StageHistory): string[] {
  const { training, evaluations, sealed, summaries, completed, contexts, proposals, rejections, errors, adopted } =
    history;
  const there: readonly (readonly [type: string, count: number])[] = [
    ['TrainingRecorded', training === null ? 0 : 1],
    ['EvaluationRecorded', evaluations.length],
    ['EvidenceSealed', sealed === null ? 0 : 1],
    ['SummaryRecorded', summaries.length],
    ['StageCompleted', completed === null ? 0 : 1],
    ['ContextRecorded', contexts.length],
    ['ProposalRecorded', proposals.length],
    ['ProposalRejected', rejections.length],
    ['ProposalErrored', errors.length],
    ['ConfigAdopted', adopted === null ? 0 : 1],
  ];
  return there.flatMap(([type, count]) => (count > 0 ? [type] : []));
}
