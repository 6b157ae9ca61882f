// Figures in contexts: rates in percent with their counts, everything else with three digits.
import { escapeControls } from '../../base/escape.ts';
import type { Item, Part } from './sheet.ts';
import { type Alert, evidenceIdPart, type Fact, type Recorded } from './summary.ts';

const none = '-';

function percent(share: number): string {
  const rounded = Math.round(100 * share);
  if (rounded === 0 && share > 0) return '<1%';
  return rounded === 100 && share < 1 ? '>99%' : `${rounded}%`;
}

export function number(value: number): string {
  return String(Number.isInteger(value) ? value : Number(value.toPrecision(3)));
}

/** `12% (5/40)`; with an interval `12% (6-26%, 5/40)`; a mean `8.41`. */
export function figureText({ value, count, of, low, high }: Fact): string {
  if (typeof value !== 'number') return none;
  const interval =
    low === undefined || high === undefined ? null : `${number(100 * round(low))}-${number(100 * round(high))}%`;
  const counts = count === undefined || of === undefined ? null : `${count}/${of}`;
  if (interval === null && counts === null) return number(value);
  return `${percent(value)} (${[interval, counts].filter((one) => one !== null).join(', ')})`;
}

const round = (share: number): number => Math.round(100 * share) / 100;

interface FactTable {
  readonly title: string;
  /** The prefix of a row's evidence ids, and the separator between prefix and family. */
  readonly prefix: string;
  readonly joint?: '.';
  readonly facts: readonly Fact[];
  readonly columnOf: (fact: Fact) => string;
  /** The order of known columns. */
  readonly known?: readonly string[];
  /** The order of rows, if it differs from that of the facts. */
  readonly families?: readonly (string | null)[];
}

/**
 * A row for each family and a column for each measure. A figure's evidence id is its row and column joined by a dot; a
 * different id is shown next to the figure.
 */
export function factTable({ title, prefix, joint, facts, columnOf, known = [], families = [] }: FactTable): Part {
  const columns = ordered(new Set(facts.map(columnOf)), known);
  const rows = ordered(new Set(facts.map(({ family }) => family)), families);
  const items = rows.map((family): Item => {
    const row = family === null ? prefix : `${prefix}${joint ?? ''}${evidenceIdPart(family)}`;
    const own = facts.filter((fact) => fact.family === family);
    const cells = columns.map((column) => {
      const fact = own.find((one) => columnOf(one) === column);
      return fact === undefined ? none : withEvidenceId(fact, `${row}.${evidenceIdPart(column)}`);
    });
    return {
      evidenceIds: own.map(({ evidenceId }) => evidenceId),
      ...(family === null ? {} : { family }),
      cells: [row, ...cells],
    };
  });
  return { kind: 'rows', title, columns: ['', ...columns.map(escapeControls)], items };
}

/** Known words first, in their order. */
function ordered<Word>(met: ReadonlySet<Word>, known: readonly Word[]): Word[] {
  return [...new Set([...known.filter((word) => met.has(word)), ...met])];
}

function withEvidenceId(fact: Fact, expected: string): string {
  return fact.evidenceId === expected ? figureText(fact) : `${figureText(fact)} [${fact.evidenceId}]`;
}

/** The meanings of words, in display order. */
export type Meanings = readonly (readonly [word: string, meaning: string])[];

/** Rollouts without a verdict are mentioned, so that they are not taken for successes. */
export function spoiltLines({ parameters, rollouts }: Recorded): string[] {
  const spoilt = Object.entries(parameters?.['spoilt'] ?? {});
  if (spoilt.length === 0) return rollouts === 0 ? ['Nothing was tried.'] : [];
  const all = spoilt.reduce((sum, [, count]) => sum + Number(count), 0);
  const kinds = spoilt.map(([kind, count]) => `${escapeControls(kind)} (${count})`).join(', ');
  if (rollouts === 0) return [`None could be judged: ${all} of ${all} were lost to ${kinds}.`];
  return [`Not counted: ${all} that could not be judged, lost to ${kinds}.`];
}

/** Text from rollouts and models never starts a line. */
const indent = '    ';

export function indented(lines: readonly string[]): string[] {
  return lines.map((line) => `${indent}${line}`.trimEnd());
}

export const byMeasure = ({ measure }: Fact): string => measure;

/** A table followed by the meanings of its columns. */
export function explained(table: Omit<FactTable, 'known'>, meanings: Meanings): Part {
  const met = new Set(table.facts.map(table.columnOf));
  const notes = meanings.filter(([word]) => met.has(word));
  return {
    ...factTable({ ...table, known: meanings.map(([word]) => word) }),
    notes: notes.map(([word, meaning]) => `  ${escapeControls(word)}: ${escapeControls(meaning)}`),
  };
}

/** Previous values are in the alert's record: earlier results belong to the history module. */
export function alertLines(alerts: readonly Alert[] = []): string[] {
  return alerts.map(({ kind, family }) => {
    const whose = family === null ? 'over all families' : `in family ${escapeControls(family)}`;
    return kind === 'forgetting'
      ? `Note: forgetting ${whose}: fewer rollouts succeed than before.`
      : `Note: the learning signal ${whose} collapsed: it is much lower than before.`;
  });
}
