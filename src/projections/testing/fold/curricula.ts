// Curricula folded: what each family was set to, stage by stage, and what came of it; and how engineers did.
import { canonicalJson } from '../../../../schemas/canonical.ts';
import { inAnyOrder } from './cells.ts';
import {
  changesFor,
  configurationFor,
  decisionsFor,
  difference,
  engineerOf,
  proposals,
  shortNameOf,
} from './decisions.ts';
import { mean } from './evidence.ts';
import { descriptorOf, historyOf, type Rate, rateIn, type Stage, toldOf, unknown, validationOf } from './history.ts';
import type { Log, Row } from './log.ts';
import { learntIn } from './measures.ts';

export function curriculum(log: Log): Row[] {
  return log.runs.flatMap((run) => {
    const history = historyOf(log, run);
    const decided = [...decisionsFor(log, run).keys()].filter((stage) => history.every((one) => one.stage !== stage));
    const stages = [...history.map(({ stage }) => stage), ...decided];
    return stages.flatMap((number) => {
      const stage = history.find((one) => one.stage === number);
      return familiesMet(log, run, number, stage).map((family) => curriculumRow(log, run, number, stage, family));
    });
  });
}

function familiesMet(log: Log, run: string, number: number, stage: Stage | undefined): readonly (string | null)[] {
  const knobs = configurationFor(log, run, number)?.configuration.knobs ?? [];
  const measured = validationOf(log, stage)?.results ?? [];
  const learnt = stage === undefined ? [] : [...learntOf(log, stage)].filter(([, one]) => one.sampleGroups !== null);
  const all = stage === undefined ? [] : [null];
  return [
    ...new Set([...all, ...[...knobs, ...measured].map(({ family }) => family), ...learnt.map(([family]) => family)]),
  ];
}

function learntOf(log: Log, stage: Stage): ReturnType<typeof learntIn> {
  return learntIn(toldOf(log, stage, 'TrainingRecorded').at(-1)?.data ?? {});
}

function curriculumRow(log: Log, run: string, number: number, stage: Stage | undefined, family: string | null): Row {
  const knobs = (configurationFor(log, run, number)?.configuration.knobs ?? []).filter((one) => one.family === family);
  const before = historyOf(log, run).find((one) => one.stage === number - 1);
  const rate = (of: Stage | undefined, measure: string): Rate =>
    of === undefined ? unknown : rateIn(validationOf(log, of), measure, family);
  const [was, is] = [rate(before, 'valid'), rate(stage, 'valid')];
  const position = descriptorOf(log, run)?.families.findIndex((one) => one.family === family) ?? -1;
  const decision = decisionsFor(log, run).get(number);
  const values = new Map<string, number>();
  for (const { knob, value } of knobs.toReversed()) values.set(shortNameOf(knob, family), value);
  return {
    run: log.name(run),
    stage: number,
    family,
    position: position < 0 ? null : position + 1,
    knobs: Object.fromEntries(values),
    changed: inAnyOrder(
      changesFor(log, run, number)
        .filter((one) => one.family === family)
        .map(({ knob }) => shortNameOf(knob, family)),
    ),
    valid_before: was.value,
    valid: is.value,
    valid_low: is.low,
    valid_high: is.high,
    gain: difference(is.value, was.value),
    optimal: rate(stage, 'optimal').value,
    learning_signal: stage && (learntOf(log, stage).get(family)?.share ?? null),
    ...worstIn(log, stage, family),
    completed: stage !== undefined && toldOf(log, stage, 'StageCompleted').length > 0,
    environment: log.started(run)?.environment.name,
    engineer: decision && engineerOf(log, decision),
    recorded_by: stage && log.name(stage.recorder),
    run_id: run,
  };
}

interface Counted {
  readonly family: string | null;
  readonly class: string;
  readonly count: number | null;
}

/** As the probe rollouts have it, or else as the validation suite has. */
function worstIn(log: Log, stage: Stage | undefined, family: string | null): Row {
  const { from, counts } = failuresOf(log, stage);
  const pooled = counts.some((one) => one.family === null);
  const own = counts.filter((one) => one.family === family || (family === null && !pooled));
  const sums = new Map<string, number | null>();
  for (const one of own) {
    const sum = sums.get(one.class);
    sums.set(one.class, sum === null || one.count === null ? null : (sum ?? 0) + one.count);
  }
  const [worst] = [...sums].sort(
    ([a, one], [b, other]) => (other ?? -1) - (one ?? -1) || Buffer.compare(Buffer.from(a), Buffer.from(b)),
  );
  return { failure_class: worst?.[0], failures: worst?.[1], failed_in: worst && from };
}

function failuresOf(
  log: Log,
  stage: Stage | undefined,
): { readonly from: string; readonly counts: readonly Counted[] } {
  const summary = stage && toldOf(log, stage, 'SummaryRecorded').findLast(({ data }) => data.module === 'failures');
  if (summary !== undefined) {
    const counts = summary.data.facts.flatMap(({ family, about, count }) =>
      about === undefined ? [] : [{ family, class: about, count: count ?? null }],
    );
    return { from: summary.data.splits?.join(', ') ?? 'evidence', counts };
  }
  const evaluation = validationOf(log, stage);
  return { from: `suite ${evaluation?.suite.name}`, counts: evaluation?.failures ?? [] };
}

/** Each engineer, model and context form in an environment. */
export function engineerScorecard(log: Log): Row[] {
  const asked = proposals(log).map((one) => ({
    ...one,
    environment: log.started(String(one['run_id']))?.environment.name ?? null,
  }));
  const key = (one: Row) =>
    canonicalJson(['environment', 'engineer', 'model', 'context_form'].map((column) => one[column] ?? null));
  return Array.from(Map.groupBy(asked, key), ([by, answers]) => {
    const [environment, engineer, model, contextForm] = JSON.parse(by) as (string | null)[];
    const numbers = (column: string) => answers.map((one: Row) => (one[column] ?? null) as number | null);
    const sum = (column: string) => numbers(column).reduce((total: number, one) => total + (one ?? 0), 0);
    const known = (column: string) => (numbers(column).every((one) => one === null) ? null : sum(column));
    const currencies = new Set(answers.flatMap(({ currency }: Row) => (currency as string | undefined) ?? []));
    const gains = answers.flatMap(({ id }: Row) => gainOf(log, String(id)) ?? []);
    return {
      environment,
      engineer,
      model,
      context_form: contextForm,
      proposals: answers.filter(({ outcome }: Row) => outcome !== 'errored').length,
      rejected: answers.filter(({ outcome }: Row) => outcome === 'rejected').length,
      errored: answers.filter(({ outcome }: Row) => outcome === 'errored').length,
      adopted: answers.filter(({ adopted }: Row) => adopted === true).length,
      in_ablations: answers.filter(({ ablation }: Row) => (ablation ?? null) !== null).length,
      clamps: sum('clamps'),
      ...Object.fromEntries(
        ['citation', 'preservation', 'usable', 'brier', 'rank_correlation'].map((score) => [
          score,
          mean(numbers(score)),
        ]),
      ),
      gains: gains.length,
      mean_gain: mean(gains),
      cost: currencies.size === 1 ? known('cost') : null,
      currency: currencies.size === 1 ? [...currencies][0] : null,
      input_tokens: known('input_tokens'),
      output_tokens: known('output_tokens'),
      runs: new Set(answers.map(({ run_id }: Row) => run_id)).size,
    };
  });
}

/** By how much validation moved where a proposal was adopted; on average, where several runs did so. */
function gainOf(log: Log, proposal: string): number | null {
  const gains = log.runs.flatMap((run) => {
    const history = historyOf(log, run);
    const rate = (number: number) => {
      const stage = history.find((one) => one.stage === number);
      return stage && rateIn(validationOf(log, stage), 'valid', null).value;
    };
    return [...decisionsFor(log, run).values()]
      .filter((one) => one.run === run && one.data.proposal === proposal)
      .flatMap(({ stage }) => difference(rate(stage ?? 0), rate((stage ?? 0) - 1)) ?? []);
  });
  return mean(gains);
}
