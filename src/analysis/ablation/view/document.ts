// An ablation as a document.
import type { Ablated, AblatedArm, Published } from '../../../../schemas/ablation-output.ts';
import { canUseNothing } from '../../../../schemas/arm-names.ts';
import { conclusionsInTwo, matrixOf, standingsOf } from '../../../../web/charts/standings.ts';
import { joinWithAnd, listNames, rangeText } from '../../../base/name-lists.ts';
import { count, counted, duration, money } from '../../../base/quantity.ts';
import {
  type Block,
  codeBlock,
  type Document,
  filled,
  generatorOf,
  list,
  longestName,
  marked,
  note,
  paragraph,
  type Section,
  section,
  table,
  warning,
} from '../../../document/document.ts';
import { htmlText } from '../../../document/html.ts';
import { taskPairsSection } from '../../task-pairs.ts';
import { armsSection } from './arms.ts';
import { decisionsSection, likenessSection, scoresSection, sensitivitySection } from './decisions.ts';
import { contrastText } from './figures.ts';
import { matrixSection } from './matrix.ts';
import { settleBlocks } from './settle.ts';

/** An ablation in full: what the data support, then the matrix and the arms, then scores and decisions. */
export function ablationDocument(ablated: Ablated): Document {
  const standings = standingsOf(ablated);
  const [first, others] = conclusionsInTwo(ablated.conclusions);
  const isOfOne = ablated.preset === 'sensitivity';
  return {
    title: ablationTitle(ablated),
    blocks: [],
    sections: filled([
      section(null, headlineBlocks(ablated)),
      erroredSection(ablated),
      sensitivitySection(ablated),
      conclusionsSection('What the data support', first),
      ...(standings === null || isOfOne ? [] : [matrixSection(ablated, standings), armsSection(ablated, standings)]),
      conclusionsSection('What else the data support', others),
      tasksSection(ablated),
      scoresSection(ablated),
      decisionsSection(ablated),
      likenessSection(ablated),
      ...ablated.published.map(publishedSection),
      section(null, settleBlocks(ablated)),
      nextSection(ablated),
    ]),
  };
}

export function ablationHtml(ablated: Ablated): string {
  const { ablation, at, ledger } = ablated;
  const footer = `icecore ablate: ${ablation}${at === null ? '' : `, ${at}`}, of ${ledger}`;
  const document = { ...ablationDocument(ablated), footer };
  return htmlText(document, {
    generator: generatorOf('ablate', ablation),
    tab: `${document.title}: icecore ablate`,
  });
}

function conclusionsSection(title: string, conclusions: readonly string[]): Section {
  return section(title, conclusions.length === 0 ? [] : [list(conclusions)]);
}

/** The declared contrasts task by task, if rollouts of their arms are recorded. */
function tasksSection({ tasks }: Ablated): Section {
  const pairs = tasks.map((one) => ({ ...one, contrast: contrastText(one), seed: one.unit }));
  return taskPairsSection(pairs, tasks[0]?.suites.join(', ') ?? '');
}

const depths = {
  propose: 'decisions replayed, nothing trained',
  train: 'decisions replayed, one stage trained',
  run: 'decisions replayed up to the last stage',
} as const;

export function depthText(depth: Ablated['depth']): string {
  return `depth ${depth}: ${depths[depth]}`;
}

type Replayed = Pick<Ablated, 'name' | 'ablation' | 'depth' | 'histories'>;

function ablationTitle({ name, ablation, depth, histories }: Replayed): string {
  return `Ablation ${name ?? ablation} of ${historiesText({ histories })}, ${depthText(depth)}`;
}

function headlineBlocks(ablated: Ablated): readonly Block[] {
  const { says } = ablated;
  return [
    ...(says === null ? [] : [paragraph(says)]),
    note(`${replayedText(ablated)} ${armsText(ablated)}${spentText(ablated)}`),
    ...underWay(ablated),
    ...ablated.unrecorded.map((text) => warning(text)),
  ];
}

/** A history of which one decision is made again is named as the user names it: `first@2`. */
export function historiesText({ histories }: Pick<Ablated, 'histories'>): string {
  return listNames(histories.map(({ name, decisions }) => (decisions.length === 1 ? `${name}@${decisions[0]}` : name)));
}

export function replayedText({ histories, units }: Pick<Ablated, 'histories' | 'units'>): string {
  const stages = [...new Set(histories.map((one) => stagesText(one.decisions)))];
  const configured = stages.length === 1 ? stages[0] : 'different stages';
  const runs = histories.length === 1 ? '' : ` of ${count(histories.length)} runs`;
  return `Decisions replayed for ${configured}${runs}, ${counted(units.length, 'seed')}.`;
}

function stagesText(stages: readonly number[]): string {
  return `${stages.length === 1 ? 'stage' : 'stages'} ${rangeText(stages, ' to ', ', ')}`;
}

export function armsText({ arms }: Pick<Ablated, 'arms'>): string {
  const { contexts, engineers, beside } = matrixOf({ arms });
  const unused = arms.filter(canUseNothing);
  const exception = unused.length === 0 ? '' : ` (${unusedArms(unused)})`;
  const baselines = beside.filter(({ baseline }) => baseline).length;
  const blind = beside.length - baselines;
  const others = [
    ...(blind === 0 ? [] : [`${counted(blind, 'engineer')} without a context`]),
    ...(baselines === 0 ? [] : [counted(baselines, 'baseline')]),
  ];
  const beyond = others.length === 0 ? '' : `, ${others.length === 1 ? 'and ' : ''}${others.join(' and ')}`;
  const shown =
    contexts.length === 0
      ? ''
      : `: ${counted(contexts.length, 'context')} × ${counted(engineers.length, 'engineer')}${exception}${beyond}`;
  return `${counted(arms.length, 'arm')}${shown}.`;
}

/** The arms that are compared with none; many are only counted. */
export function unusedArms(arms: readonly Pick<AblatedArm, 'arm'>[]): string {
  const [first] = arms;
  if (arms.length === 1) return `${first?.arm} cannot use its context`;
  const named = arms.length === 2 ? joinWithAnd(arms.map(({ arm }) => arm)) : `${count(arms.length)} arms`;
  return `${named} cannot use their contexts`;
}

function spentText({ spent, cost, trainings, decisions }: Ablated): string {
  const seconds = trainings.reduce((sum, one) => sum + (one.seconds ?? 0), 0);
  const parts = [
    ...Object.entries(spent).map(([unit, amount]) => `${count(amount)} ${unit}`),
    ...(seconds === 0 ? [] : [`${duration(seconds)} of training`]),
    ...Object.entries(cost).map(([currency, amount]) => money(amount, currency)),
  ];
  const uncounted = decisions.filter((one) => one.answers > 0 && Object.keys(one.cost).length === 0).length;
  if (uncounted > 0) parts.push(`and what ${counted(uncounted, 'decision')} of models cost is unknown`);
  return parts.length === 0 ? '' : ` Spent: ${parts.join(', ')}.`;
}

export function underWay({ state, depth, decisions, arms, units, histories }: Ablated): readonly Block[] {
  if (state === 'completed') return [];
  // At depth run an arm decides after every later stage; it counts once.
  const begun = histories.map((one) => ({
    run: one.run,
    stages: depth === 'run' ? one.decisions.slice(0, 1) : one.decisions,
  }));
  const stages = new Map(begun.map((one) => [one.run, one.stages.length]));
  const isBegun = ({ run, stage, came }: Ablated['decisions'][number]): boolean =>
    came !== 'errored' && begun.some((one) => one.run === run && one.stages.includes(stage));
  const all = arms.length * units.reduce((sum, { run }) => sum + (stages.get(run) ?? 0), 0);
  const text = `Not finished: ${count(decisions.filter(isBegun).length)} of ${counted(all, 'decision')} are recorded, and the results cover these only.`;
  return [warning(text)];
}

/** Arms that did not finish because of an error. */
function erroredSection({ errored }: Ablated): Section {
  if (errored.length === 0) return section(null, []);
  return section('Errored', [
    list(errored.map(({ arm, reason }) => [marked('warning', `${arm}: ${reason}`)])),
    note('An error is not an answer: these arms enter no mean, no ranking and no contrast.'),
  ]);
}

function nextSection(ablated: Ablated): Section {
  const { state, errored } = ablated;
  const left = errored.length === 0 ? 'resumes it' : 'tries the errored arms again';
  return section('Next', [
    note(
      state === 'completed'
        ? 'The same command shows this again without asking any engineer.'
        : `The same command ${left}; recorded decisions are not asked for again.`,
    ),
    ...(state === 'completed' ? [codeBlock(`icecore sql "${queryOf(ablated)}"`)] : []),
  ]);
}

/** A name that needs no quoting in SQL or in a shell. */
const plainName = /^[\w.-]{1,32}$/;

const plainArm = /^[\w./+@-]+$/;

function queryOf(ablated: Ablated): string {
  const { name, ablation } = ablated;
  const which = name !== null && plainName.test(name) ? `ablation_name = '${name}'` : `ablation = '${ablation}'`;
  const measure = standingsOf(ablated)?.measure.measure ?? '';
  const one = plainName.test(measure) ? ` AND measure = '${measure}'` : '';
  const unused = ablated.arms.filter((arm) => canUseNothing(arm) && plainArm.test(arm.arm));
  const others = unused.map(({ arm }) => `\n    AND arm <> '${arm}'`).join('');
  return `SELECT arm, value, low, high, units FROM arm_results
  WHERE ${which}${one}
    AND statistic = 'mean'${others}
  ORDER BY value DESC`;
}

const longestLabel = 30;

/** Published figures beside these: they are of another policy at another scale, which a warning says first. */
function publishedSection({ what, says, rows, columns }: Published): Section {
  return section(`Published figures: ${what}`, [
    warning(says),
    table(rows, [
      { title: '', limit: longestLabel, cell: ({ label }) => label },
      { title: 'published', align: 'right', cell: ({ theirs }) => theirs },
      { title: 'here', align: 'right', cell: ({ ours }) => ours ?? '-' },
      { title: 'arm', limit: longestName, cell: ({ arm }) => arm ?? '' },
    ]),
    note(`${columns.join('; ')}.`),
  ]);
}
