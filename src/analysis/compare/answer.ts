// A comparison in a screenful: which run or arm is better, then a row each. `compareDocument` has the rest.
import type { Compared, ComparedSet, RunDifference } from '../../../schemas/compare-output.ts';
import { counted } from '../../base/quantity.ts';
import {
  type Block,
  type ColumnOf,
  type Document,
  filled,
  longestName,
  note,
  right,
  section,
  table,
  warning,
} from '../../document/document.ts';
import { chanceText, pointsText, wholeRate } from '../../document/figures.ts';
import { apartText, saysText, spanText, suiteName } from './document.ts';

export function compareAnswer(compared: Compared): Document {
  const { sets } = compared;
  const notes = [...sets.flatMap((set) => set.notes), ...compared.notes];
  const warnings = [
    ...sets.flatMap((set) => set.unrecorded),
    ...sets.flatMap((set) => set.warnings),
    ...compared.apart.map(apartText),
  ];
  const rest = notes.length - mostNotes + Math.max(0, warnings.length - mostWarnings);
  return {
    title: sets.length === 0 ? 'These runs cannot be compared' : sets.map((set) => headline(set, compared)).join('; '),
    blocks: [],
    sections: filled([
      ...sets.map((set) => section(null, setBlocks(set, compared))),
      section(null, [
        ...warnings.slice(0, mostWarnings).map(warning),
        ...notes.slice(0, mostNotes).map(note),
        note(`${rest > 0 ? `${counted(rest, 'more remark')}, r` : 'R'}esults by family, settings and cost: --verbose`),
      ]),
    ]),
  };
}

const mostNotes = 2;
const mostWarnings = 3;
const mostRows = 10;

/** `by-rule against first-run: inconclusive, +2.0 points valid [-1.2, +5.2], 400 tasks` */
function headline(set: ComparedSet, { measure }: Compared): string {
  const { differences, baseline, stage, suite, unit } = set;
  const where = `${suiteName(suite.suite)}${stage === null ? '' : ` after stage ${stage}`}`;
  const [only, ...others] = differences;
  if (only === undefined) return `${baseline} on ${where}: nothing to compare it with`;
  if (others.length > 0) {
    const what = unit === 'seed' ? 'arms' : 'runs';
    return `${counted(differences.length, what.slice(0, -1), what)} against ${baseline} by ${measure} on ${where}: ${verdictCounts(differences)}`;
  }
  const { of, against, difference, low, high, pairs, units } = only;
  const span = spanText(low, high, signed);
  const points = difference === null ? '' : `, ${signed(difference)} points ${measure}${span === '' ? '' : ` ${span}`}`;
  const number = pairs === null ? '' : `, ${counted(units, nouns[pairs][0], nouns[pairs][1])}`;
  return `${of} against ${against}: ${outcomeText(only)}${points} on ${where}${number}`;
}

/** `better`, `inconclusive`, `equivalent within 10`. */
function outcomeText(difference: RunDifference): string {
  return saysText(difference).replace(/^(better|worse) by [\d.]+/, '$1');
}

const nouns = { tasks: ['task', 'tasks'], families: ['family', 'families'], seeds: ['seed', 'seeds'] } as const;

/** `1 better, 2 inconclusive` */
function verdictCounts(differences: readonly RunDifference[]): string {
  const counts = Map.groupBy(differences, ({ verdict }) => verdict);
  return Array.from(counts, ([verdict, own]) => `${own.length} ${verdict}`).join(', ');
}

function signed(value: number): string {
  return pointsText(0, value);
}

interface Row {
  readonly name: string;
  /** Null: the baseline. */
  readonly difference: RunDifference | null;
}

function setBlocks(set: ComparedSet, { runs, measure, sets }: Compared): readonly Block[] {
  const { arms, differences, baseline, unit } = set;
  const rows: readonly Row[] = [
    { name: baseline, difference: null },
    ...differences.map((difference) => ({ name: difference.of, difference })),
  ];
  const isOfRuns = unit === 'run';
  const rateText = ({ name }: Row): string => {
    const run = isOfRuns ? runs.find(({ label }) => label === name) : undefined;
    if (run !== undefined) return wholeRate(run.rate);
    const arm = arms.find((one) => one.arm === name);
    return arm === undefined ? '' : wholeRate({ value: arm.mean, low: arm.low, high: arm.high, count: null, of: null });
  };
  const seedsText = ({ name }: Row): string => {
    const arm = arms.find((one) => one.arm === name);
    return isOfRuns || arm === undefined ? '' : String(arm.runs.filter(({ value }) => value !== null).length);
  };
  const columns: readonly ColumnOf<Row>[] = [
    { title: isOfRuns ? 'run' : 'arm', mark: 'strong', limit: longestName, cell: ({ name }) => name },
    {
      title: 'engineer',
      limit: longestName,
      cell: ({ name }) => (isOfRuns ? (runs.find(({ label }) => label === name)?.engineer ?? '') : ''),
    },
    right('seeds', seedsText),
    right(`${measure} %`, rateText),
    right('points', ({ difference }) => (difference?.difference == null ? '' : signed(difference.difference))),
    right('95 % interval', ({ difference }) =>
      difference === null ? '' : spanText(difference.low, difference.high, signed),
    ),
    right('p', ({ difference }) => (difference === null ? '' : chanceText(difference.adjusted))),
    {
      title: 'result',
      wraps: true,
      cell: ({ difference }) => (difference === null ? 'baseline' : outcomeText(difference)),
    },
  ];
  const shown = Math.max(2, Math.floor(mostRows / sets.length));
  const more = rows.length - shown;
  return [table(rows.slice(0, shown), columns), ...(more > 0 ? [note(`${more} more: --verbose`)] : [])];
}
