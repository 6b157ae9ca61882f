// The goal: what counts as success, the training budget, the number of stages, and how results are measured. Benchmarks
// are not named, because a name can reveal what a benchmark contains, and engineers should not design for it.
import type { Descriptor, Knob } from '../../../schemas/environment.ts';
import { escapeControls } from '../../base/escape.ts';
import type { Fact } from '../../lab/engineers/engineer.ts';
import type { Configuration } from '../../lab/environments/environment.ts';
import { knobValue } from '../../lab/environments/knobs.ts';
import type { RunHistory } from '../history/run-history.ts';
import { number } from '../summaries/figures.ts';
import { type Item, layout } from '../summaries/sheet.ts';
import { distinct, evidenceIdOf } from '../summaries/summary.ts';
import { type LeftOut, type Module, withoutItems } from './module.ts';

export function objectiveModule(
  descriptor: Descriptor,
  { started }: RunHistory,
  stage: number,
  leftOut: LeftOut,
): Module {
  const { stages, budget = {}, suites = [] } = started?.data ?? {};
  const all = distinct([...(stages === undefined ? [] : [toGo(stages - stage)]), ...budgets(budget)]);
  const facts = withoutItems(all, leftOut);
  const sheet = {
    module: 'objective',
    opening: [...successWords(descriptor), ...measuredWords(suites.length > 0)],
    parts:
      facts.length === 0 ? [] : [{ kind: 'fixed' as const, title: 'Resources', columns: [], items: facts.map(itemOf) }],
  };
  const events = started === null ? [] : [started.id];
  return { module: 'objective', facts, exemplars: [], sheet, events: () => events };
}

function successWords({ outcomes = [], failureClasses = [], metrics = [] }: Descriptor): string[] {
  const failing = new Set(failureClasses.map((one) => one.class));
  const successes = outcomes.filter(({ outcome }) => !failing.has(outcome));
  const goal =
    'The policy should succeed at as many tasks of all families as possible by the end of the last stage. It is trained with its reward for that; you decide what it is trained on.';
  const measures = metrics.map(({ metric, meaning }) => `${escapeControls(metric)} (${escapeControls(meaning)})`);
  return [
    goal,
    ...successes.map(
      ({ outcome, meaning }) => `A rollout is ${escapeControls(outcome)} where ${escapeControls(meaning)}.`,
    ),
    ...(measures.length === 0 ? [] : [`Also measured: ${measures.join('; ')}.`]),
  ];
}

function measuredWords(hasBenchmarks: boolean): string[] {
  return [
    'After each stage it is validated on tasks of all families that are never trained on; they are the same ones every time. In validation it plays greedily and tries each task once.',
    ...(hasBenchmarks ? ['At the end it is evaluated on benchmarks that are not shown.'] : []),
  ];
}

function toGo(stages: number): Fact {
  return {
    evidenceId: evidenceIdOf('O', null, 'stages-to-go'),
    family: null,
    measure: 'stages-to-go',
    value: Math.max(0, stages),
  };
}

function budgets(budget: Readonly<Record<string, number>>): Fact[] {
  return Object.entries(budget)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([unit, amount]) => ({
      evidenceId: evidenceIdOf('O', null, 'budget', unit),
      family: null,
      measure: 'budget',
      about: unit,
      value: amount,
    }));
}

function itemOf({ evidenceId, about, value }: Fact): Item {
  const amount = typeof value === 'number' ? number(value) : '-';
  const stages = value === 1 ? 'stage' : 'stages';
  const words =
    about === undefined ? `${amount} more ${stages} to come` : `${amount} ${escapeControls(about)} for each stage`;
  return { evidenceIds: [evidenceId], cells: [evidenceId, words] };
}

// The start of every context: the environment, its knobs and their current values. It is the question itself and not a
// module.

/** More digits than the step has, without floating-point noise. */
const digits = 4;

export function headText(descriptor: Descriptor, current: Configuration): string {
  const { environment, meaning, families } = descriptor;
  const about = [
    `# The environment: ${escapeControls(environment)}`,
    ...(meaning === undefined ? [] : [escapeControls(meaning)]),
    `Its tasks come in families: ${families.map(familyWords).join('; ')}.`,
  ];
  const rows = descriptor.knobs.map((knob) => knobRow(knob, current));
  const knobs = [
    '# The current configuration',
    'The knobs you can change, and their current values. Nothing else in the environment changes.',
    ...layout([['knob', 'now', 'range', 'step', 'meaning'], ...rows]).map((line) => `  ${line}`),
    ...(descriptor.sharesSum ?? []).map(({ knobs: names, total }) => `${escapeControls(names.join(' + '))} = ${total}`),
  ];
  const citing = [
    '# How to cite',
    'Cite a figure by its evidence id: its row and its column joined by a dot, such as B8.valid for the row B8 and the column valid, or the id in square brackets next to it. Cite a rollout as F1, a paragraph as N1.',
  ];
  return [about, knobs, citing].map((lines) => lines.join('\n')).join('\n\n');
}

function familyWords({ family, meaning }: Descriptor['families'][number]): string {
  return escapeControls(meaning === undefined || meaning === '' ? family : `${family} (${meaning})`);
}

function knobRow(knob: Knob, current: Configuration): string[] {
  const { name, range, step, integer, meaning, teaches = [] } = knob;
  const value = knobValue(current, knob);
  const whole = integer === true ? ', whole' : '';
  return [
    escapeControls(name),
    value === undefined ? '-' : String(Number(value.toPrecision(digits))),
    `${range.min} to ${range.max}${whole}`,
    String(step),
    escapeControls(teaches.length === 0 ? meaning : `${meaning}; more of it teaches to avoid ${teaches.join(', ')}`),
  ];
}
