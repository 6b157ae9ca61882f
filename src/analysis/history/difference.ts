// What differs between two stages, of one run or of two: how they were set, and what came of it.
import { canonicalJson } from '../../../schemas/canonical.ts';
import type { DiffResult, Rate } from '../../../schemas/run-output.ts';
import { configurationOf, knobDifferences } from '../../producers/history/configurations.ts';
import { reasonsIn } from '../../producers/history/decisions.ts';
import {
  type FailureCount,
  failureClasses,
  failuresOf,
  familiesOf,
  overlap,
  rateOf,
  shareOf,
  signalOf,
  validationOf,
} from '../../producers/history/figures.ts';
import { type RunRead, stageOf } from '../../producers/history/reading.ts';
import type { StageHistory } from '../../producers/history/run-history.ts';
import { settingsOf } from './settings.ts';

export interface Side {
  readonly read: RunRead;
  readonly stage: number;
}

type Differences = Omit<DiffResult, 'ledger' | 'identical' | 'all'>;

/** All of it, what is the same included. Throws NoSuchStage. */
export function difference(from: Side, to: Side): Differences {
  const [before, after] = [stageOf(from.read, from.stage), stageOf(to.read, to.stage)];
  return {
    from: sideOf(from),
    to: sideOf(to),
    settings: from.read.run === to.read.run ? [] : settingDifferences(from.read, to.read),
    knobs: knobsOf(from, to),
    evaluation: evaluationDifferences(before, after),
    signal: signalDifferences(before, after),
    failures: failureDifferences(before, after),
    failuresFrom: failuresOf(after).from ?? failuresOf(before).from,
  };
}

const differs = ({ isChanged }: { readonly isChanged: boolean }): boolean => isChanged;

export function isIdentical({ settings, knobs, evaluation, signal, failures }: Differences): boolean {
  return ![settings, knobs, evaluation, signal, failures].some((list) => list.some(differs));
}

export function onlyChanged(whole: Differences): Differences {
  return {
    ...whole,
    settings: whole.settings.filter(differs),
    knobs: whole.knobs.filter(differs),
    evaluation: whole.evaluation.filter(differs),
    signal: whole.signal.filter(differs),
    failures: whole.failures.filter(differs),
  };
}

function sideOf({ read: { run, name }, stage }: Side): DiffResult['from'] {
  return { run, name, stage };
}

function settingDifferences(from: RunRead, to: RunRead): DiffResult['settings'] {
  const [was, is] = [settingsOf(from), settingsOf(to)];
  return [...new Set([...was.keys(), ...is.keys()])].map((setting) => {
    const [a, b] = [was.get(setting) ?? null, is.get(setting) ?? null];
    return { setting, from: a, to: b, isChanged: canonicalJson(a) !== canonicalJson(b) };
  });
}

function knobsOf(from: Side, to: Side): DiffResult['knobs'] {
  const reasonFor = reasonsIn(to.read.adoptions.get(to.stage)?.data.changes ?? []);
  return knobDifferences(
    to.read.descriptor ?? from.read.descriptor,
    configurationOf(from.read, from.stage),
    configurationOf(to.read, to.stage),
  ).map((one) => ({ ...one, ...reasonFor(one.knob) }));
}

const measures = ['valid', 'optimal'] as const;

function evaluationDifferences(before: StageHistory, after: StageHistory): DiffResult['evaluation'] {
  const [was, is] = [validationOf(before)?.data ?? null, validationOf(after)?.data ?? null];
  const families = [null, ...new Set([...familiesOf(was), ...familiesOf(is)])];
  return families.flatMap((family) =>
    measures.flatMap((measure) => {
      const [from, to] = [rateOf(was, measure, family), rateOf(is, measure, family)];
      if (from.value === null && to.value === null) return [];
      return [{ measure, family, from, to, isChanged: !isSame(from, to), overlap: overlap(from, to) }];
    }),
  );
}

function isSame(a: Rate, b: Rate): boolean {
  return a.value === b.value && a.of === b.of;
}

function signalDifferences(before: StageHistory, after: StageHistory): DiffResult['signal'] {
  const familiesIn = ({ training }: StageHistory) =>
    training?.data.learningSignal?.flatMap(({ family }) => family ?? []) ?? [];
  return [null, ...new Set([...familiesIn(before), ...familiesIn(after)])].flatMap((family) => {
    const [from, to] = [signalOf(before, family), signalOf(after, family)];
    return from === null && to === null ? [] : [{ family, from, to, isChanged: from !== to }];
  });
}

function failureDifferences(before: StageHistory, after: StageHistory): DiffResult['failures'] {
  const [was, is] = [failureShares(before), failureShares(after)];
  const either = [...new Map([...was.shares, ...is.shares])];
  const families = [null, ...new Set(either.map(([, { family }]) => family))];
  return either
    .toSorted(([, a], [, b]) => families.indexOf(a.family) - families.indexOf(b.family))
    .map(([key, { family, class: name }]) => {
      const [from, to] = [was, is].map(({ shares, otherwise }) =>
        shares.has(key) ? shares.get(key)?.share : otherwise,
      );
      return { class: name, family, from: from ?? null, to: to ?? null, isChanged: from !== to };
    });
}

type FailureShare = Pick<FailureCount, 'family' | 'class'> & { readonly share: number | null };

interface FailureShares {
  /** Over all families, then by family. */
  readonly shares: ReadonlyMap<string, FailureShare>;
  /** Of a way to fail that is not among them. */
  readonly otherwise: number | null;
}

function failureShares(stage: StageHistory): FailureShares {
  const failures = failuresOf(stage);
  const overAll = failureClasses(failures).map((one): FailureShare => ({ ...one, family: null }));
  const byFamily = failures.byFamily
    .filter(({ family }) => family !== null)
    .map((one): FailureShare => ({ ...one, share: shareOf(one.count, one.of) }));
  const shares = [...overAll, ...byFamily].map((one) => [JSON.stringify([one.family, one.class]), one] as const);
  return { shares: new Map(shares), otherwise: failures.from === null ? null : 0 };
}
