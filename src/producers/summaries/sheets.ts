// The summaries of a stage as sheets: made from what was recorded of them, so that a context can be made from the record
// alone, and leave out what there is no room for.
import type { Descriptor } from '../../../schemas/environment.ts';
import { visible, visibleLines } from '../../base/visible.ts';
import { type FactTable, factTable, shown } from './figures.ts';
import type { Item, Part, Sheet } from './sheet.ts';
import type { Alert, Exemplar, Fact, Summary } from './summary.ts';

type Recorded = Pick<Summary, 'module' | 'facts' | 'exemplars' | 'alerts' | 'parameters' | 'rollouts'>;

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
    ['tasks', 'the share of all tasks that are of the family'],
    ...told.map(({ fact, meaning }) => [fact, meaning] as const),
  ];
  const opening = ['From a sample of tasks that were generated as those that were trained on were.'];
  return {
    module,
    opening,
    parts: [explained({ title: 'By family', prefix: 'S', facts, columnOf: byMeasure }, meanings)],
  };
}

function behaviourSheet({ metrics = [] }: Descriptor, summary: Recorded): Sheet {
  const { module, facts, alerts } = summary;
  const conduct = facts.filter(({ measure }) => measure !== 'blocking');
  const blocking = facts.filter(({ measure }) => measure === 'blocking');
  const meanings: Meanings = [
    ['valid', 'the share of rollouts that succeed'],
    ['tried', 'how many tasks were tried; intervals are over tasks, for tries of one task are alike'],
    ...metrics.map(({ metric, meaning }) => [metric, meaning] as const),
    ...ownMetrics.filter(([own]) => !metrics.some(({ metric }) => metric === own)),
  ];
  const opening = [
    'From a fixed pool of tasks of all families, whatever was trained on, as the policy plays, by chance.',
    ...triesLines(facts),
    ...spoiltLines(summary),
    ...alertLines(alerts),
  ];
  if (facts.length === 0) return { module, opening, parts: [] };
  const table = explained({ title: 'By family', prefix: 'B', facts: conduct, columnOf: byMeasure }, meanings);
  return { module, opening, parts: [table, ...(blocking.length === 0 ? [] : [blockingPart(blocking)])] };
}

/** Where a task was tried several times, fewer things happened than rollouts are counted. */
function triesLines(facts: readonly Fact[]): string[] {
  const [tasks, tries] = [sumOf(facts, 'tried', ({ value }) => value), sumOf(facts, 'valid', ({ of }) => of)];
  if (tasks === 0) return [];
  const often = tries / tasks;
  const word = ['once', 'twice'][often - 1] ?? `${often} times`;
  const tried = Number.isInteger(often) ? `each tried ${word}` : `tried ${tries} times altogether`;
  return [
    `${tasks} tasks, ${tried}. Rates have 95% intervals; all else is a mean over the rollouts in which it could be measured.`,
  ];
}

function sumOf(facts: readonly Fact[], measure: string, of: (fact: Fact) => unknown): number {
  return facts.reduce((sum, fact) => {
    const value = fact.measure === measure ? of(fact) : 0;
    return sum + (typeof value === 'number' ? value : 0);
  }, 0);
}

/** What could not be judged is told, or it would be taken for what went well. */
function spoiltLines({ parameters, rollouts }: Recorded): string[] {
  const spoilt = Object.entries(parameters?.['spoilt'] ?? {});
  if (spoilt.length === 0) return rollouts === 0 ? ['Nothing was tried.'] : [];
  const all = spoilt.reduce((sum, [, count]) => sum + Number(count), 0);
  const kinds = spoilt.map(([kind, count]) => `${visible(kind)} (${count})`).join(', ');
  if (rollouts === 0) return [`None could be judged: ${all} of ${all} were spoilt by ${kinds}.`];
  return [`Not counted: ${all} that could not be judged, spoilt by ${kinds}.`];
}

/** What icecore itself measures of a rollout. */
const ownMetrics: Meanings = [
  ['agent-steps', 'the actions that agents took'],
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
    columns: ['', 'family', 'agents', 'rollouts'],
    items: facts.map((fact) => ({
      evidenceIds: [fact.evidenceId],
      ...(fact.family === null ? {} : { family: fact.family }),
      cells: [fact.evidenceId, visible(fact.family ?? 'all'), visible(fact.about ?? ''), shown(fact)],
    })),
  };
}

function failuresSheet({ failureClasses = [], drawings }: Descriptor, summary: Recorded): Sheet {
  const { module, facts, exemplars, rollouts } = summary;
  const opening = [
    'From a fixed pool of tasks of all families, as the policy plays, by chance. Only rollouts that failed are told of.',
    ...spoiltLines(summary),
  ];
  if (facts.length === 0 && exemplars.length === 0) {
    return { module, opening: rollouts === 0 ? opening : [...opening, 'None failed.'], parts: [] };
  }
  const byClass = ({ about, measure }: Fact): string => about ?? measure;
  const table = explained(
    {
      title: 'How rollouts fail, as shares of those of the family that failed',
      prefix: 'FC',
      facts,
      columnOf: byClass,
    },
    failureClasses.map((one) => [one.class, one.meaning] as const),
  );
  const stand = 'Rollouts that stand for many';
  const title = drawings === undefined ? stand : `${stand}. In the drawings, ${visible(drawings)}`;
  const drawn: Part = { kind: 'exemplars', title, items: exemplars.map(exemplarItem) };
  return {
    module,
    opening,
    parts: [...(facts.length === 0 ? [] : [table]), ...(exemplars.length === 0 ? [] : [drawn])],
  };
}

/** What rollouts and models said is never at the beginning of a line. */
const indent = '    ';

function exemplarItem({ evidenceId, family, class: failureClass, drawing, description }: Exemplar): Item {
  const title = [evidenceId, ...(family === null ? [] : [`family ${visible(family)}`]), visible(failureClass ?? '')];
  const drawn = drawing === undefined ? [] : visibleLines(drawing).split('\n');
  const isDrawn = description === undefined || drawn.some((line) => line.includes(description));
  const said = isDrawn ? [] : [visible(description)];
  return { evidenceIds: [evidenceId], lines: [title.join('  '), ...indented([...said, ...drawn])] };
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
    const evidenceId = `N${i + 1}`;
    return { evidenceIds: [evidenceId], lines: [evidenceId, ...indented(lines)] };
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

/** How it was before is in the record of the alert: what came earlier is for the history to show. */
function alertLines(alerts: readonly Alert[] = []): string[] {
  return alerts.map(({ kind, family }) => {
    const whose = family === null ? 'over all families' : `in family ${visible(family)}`;
    return kind === 'forgetting'
      ? `Note: forgetting ${whose}: fewer succeed than before.`
      : `Note: the learning signal ${whose} collapsed: there is much less of it than before.`;
  });
}
