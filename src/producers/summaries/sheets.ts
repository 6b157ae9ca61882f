// The summaries of a stage as sheets: made from what was recorded of them, so that a context can be made from the record
// alone, and leave out what there is no room for.
import type { Descriptor } from '../../../schemas/environment.ts';
import { visible, visibleLines } from '../../base/visible.ts';
import { type FactTable, factTable, percent, shown } from './figures.ts';
import type { Item, Part, Sheet } from './sheet.ts';
import type { Alert, Exemplar, Fact, Summary } from './summary.ts';

type Recorded = Pick<Summary, 'module' | 'facts' | 'exemplars' | 'alerts'>;

/** What words mean, in the order in which they are shown. */
type Meanings = readonly (readonly [word: string, meaning: string])[];

/** Of a self-summary, `text` is what the model said. */
export function sheetOf(descriptor: Descriptor, summary: Recorded, text: string | null = null): Sheet {
  switch (summary.module) {
    case 'stats':
      return statsSheet(descriptor, summary);
    case 'behaviour':
      return behaviourSheet(descriptor, summary);
    case 'failures':
      return failuresSheet(descriptor, summary);
    case 'training':
      return trainingSheet(summary);
    default:
      return narrativeSheet(summary, text);
  }
}

function statsSheet({ facts: told = [] }: Descriptor, { module, facts }: Recorded): Sheet {
  const meanings: Meanings = [
    ['tasks', 'the share of all tasks that are of the group'],
    ...told.map(({ fact, meaning }) => [fact, meaning] as const),
  ];
  const opening = ['From a sample of the tasks that were trained on.'];
  return {
    module,
    opening,
    parts: [explained({ title: 'By group', prefix: 'S', facts, columnOf: byMeasure }, meanings)],
  };
}

function behaviourSheet({ metrics = [] }: Descriptor, { module, facts, alerts }: Recorded): Sheet {
  const conduct = facts.filter(({ measure }) => measure !== 'blocking');
  const blocking = facts.filter(({ measure }) => measure === 'blocking');
  const meanings: Meanings = [
    ['valid', 'the share of rollouts that succeed'],
    ...metrics.map(({ metric, meaning }) => [metric, meaning] as const),
    ...ownMetrics.filter(([own]) => !metrics.some(({ metric }) => metric === own)),
  ];
  const opening = [
    'From tasks of a fixed pool that has all groups alike, whatever was trained on. Rates have 95% intervals; all else is a mean over the rollouts in which it could be measured.',
    ...alertLines(alerts),
  ];
  const table = explained({ title: 'By group', prefix: 'B', facts: conduct, columnOf: byMeasure }, meanings);
  return { module, opening, parts: [table, ...(blocking.length === 0 ? [] : [blockingPart(blocking)])] };
}

/** What icecore itself measures of a rollout. */
const ownMetrics: Meanings = [
  ['decisions', 'how many decisions the policy took'],
  ['entropy', 'of the choices of the policy, in nats: how unsure it is'],
  ['logProbability', 'of the decisions that it took: how likely it deemed them'],
  ['value', 'what the policy expected to earn'],
  ['tokens-input', 'how many tokens it read'],
  ['tokens-output', 'how many tokens it wrote'],
];

function blockingPart(facts: readonly Fact[]): Part {
  return {
    kind: 'rows',
    title: 'Who gets in whose way: the share of rollouts in which two agents, by number from 0, fail at each other',
    columns: ['', 'group', 'agents', 'rollouts'],
    items: facts.map((fact) => ({
      labels: [fact.label],
      cells: [fact.label, visible(fact.group ?? 'all'), visible(fact.about ?? ''), shown(fact)],
    })),
  };
}

function failuresSheet({ failureClasses = [], drawings }: Descriptor, { module, facts, exemplars }: Recorded): Sheet {
  const opening = ['From the same pool of all groups. Only rollouts that failed are told of.'];
  if (facts.length === 0) return { module, opening: [...opening, 'None failed.'], parts: [] };
  const byClass = ({ about, measure }: Fact): string => about ?? measure;
  const table = explained(
    { title: 'How rollouts fail, of all that were tried', prefix: 'FC', facts, columnOf: byClass },
    failureClasses.map((one) => [one.class, one.meaning] as const),
  );
  const stand = 'Rollouts that stand for many';
  const title = drawings === undefined ? stand : `${stand}. In the drawings, ${visible(drawings)}`;
  const drawn: Part = { kind: 'exemplars', title, items: exemplars.map(exemplarItem) };
  return { module, opening, parts: [table, ...(exemplars.length === 0 ? [] : [drawn])] };
}

/** What rollouts and models said is never at the beginning of a line. */
const indent = '    ';

function exemplarItem({ label, group, class: failureClass, drawing, says }: Exemplar): Item {
  const title = [label, ...(group === null ? [] : [`group ${visible(group)}`]), visible(failureClass ?? '')];
  const drawn = drawing === undefined ? [] : visibleLines(drawing).split('\n');
  const said = says === undefined || drawn.some((line) => line.includes(says)) ? [] : [visible(says)];
  return { labels: [label], lines: [title.join('  '), ...indented([...said, ...drawn])] };
}

function indented(lines: readonly string[]): string[] {
  return lines.map((line) => `${indent}${line}`.trimEnd());
}

function trainingSheet({ module, facts, alerts }: Recorded): Sheet {
  const isBookkeeping = ({ measure }: Fact): boolean => measure === 'stage' || measure === 'spent';
  const bookkeeping = factTable({
    title: 'What it took',
    prefix: 'T',
    facts: facts.filter(isBookkeeping),
    columnOf: ({ measure, about }) => about ?? measure,
  });
  const signal = facts.filter((fact) => !isBookkeeping(fact));
  const table = explained(
    { title: 'What there was to learn', prefix: 'T', facts: signal, columnOf: byMeasure },
    signalMeanings,
  );
  return { module, opening: alertLines(alerts), parts: [bookkeeping, ...(signal.length === 0 ? [] : [table])] };
}

const signalMeanings: Meanings = [
  ['signal', 'the share of tasks whose samples differ in reward; where all succeed or all fail, nothing is learnt'],
  ['entropy', 'of the choices of the policy, in nats: how unsure it is'],
  ['kl', 'how far the policy has moved from its reference'],
];

function narrativeSheet({ module }: Recorded, text: string | null): Sheet {
  const paragraphs = paragraphsIn(text ?? '');
  if (paragraphs.length === 0) return { module, opening: ['It said nothing.'], parts: [] };
  const items = paragraphs.map((lines, i) => {
    const label = `N${i + 1}`;
    return { labels: [label], lines: [label, ...indented(lines)] };
  });
  const opening = ['What the policy wrote of itself. It may be wrong.'];
  return { module, opening, parts: [{ kind: 'paragraphs', title: '', items }] };
}

function paragraphsIn(text: string): string[][] {
  return visibleLines(text)
    .split(/\n\s*\n/)
    .map((paragraph) => paragraph.split('\n').filter((line) => line.trim() !== ''))
    .filter((lines) => lines.length > 0);
}

const byMeasure = ({ measure }: Fact): string => measure;

/** A table with the meanings of its columns below. */
function explained(table: Omit<FactTable, 'known'>, meanings: Meanings): Part {
  const met = new Set(table.facts.map(table.columnOf));
  const notes = meanings.filter(([word]) => met.has(word));
  return {
    ...factTable({ ...table, known: meanings.map(([word]) => word) }),
    notes: notes.map(([word, meaning]) => `  ${visible(word)}: ${visible(meaning)}`),
  };
}

function alertLines(alerts: readonly Alert[] = []): string[] {
  return alerts.map(({ kind, group, before, now }) => {
    const whose = group === null ? 'over all groups' : `in group ${visible(group)}`;
    const [was, is] = [before, now].map((value) => (typeof value === 'number' ? percent(value) : '-'));
    return kind === 'forgetting'
      ? `Note: what was mastered ${whose} is being forgotten: ${is} succeed, ${was} did at an earlier stage.`
      : `Note: the learning signal ${whose} collapsed: ${is}, ${was} at the stage before.`;
  });
}
