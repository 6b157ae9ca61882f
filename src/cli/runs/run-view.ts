// A run as a document: what it was asked to do, its stages in a table, what changed before each of them, alerts, benchmarks
// and notes.
import type { NoteRow, RunShown, StageRow, UnknownEvent } from '../../../schemas/run-output.ts';
import { runFacts } from '../../analysis/run-facts.ts';
import { count, counted } from '../../base/quantity.ts';
import { shellWord } from '../../base/shell-word.ts';
import { stripOf } from '../../document/curve.ts';
import {
  type Block,
  type ColumnOf,
  type Document,
  facts,
  filled,
  lines,
  note,
  paragraph,
  type Section,
  section,
  table,
} from '../../document/document.ts';
import { alertText, percent, rateText } from '../../document/figures.ts';
import { generic, moment } from '../events/event-lines.ts';
import { decisionLine } from './decision-view.ts';

/** `leftOut`: a sentence on what is not shown; empty where everything is. */
export function runDocument(run: RunShown, leftOut: string): Document {
  return {
    title: run.name,
    subtitle: standingText(run),
    blocks: [
      ...failureBlocks(run),
      facts([['identity', run.run === run.name ? null : run.run], ...runFacts(run), ['says', run.asked.says]]),
    ],
    sections: filled([
      section(null, stagesBlocks(run.stages)),
      section(null, decisionsBlocks(run)),
      alertsSection(run.stages),
      benchmarksSection(run),
      ...besideSections(run, leftOut),
    ]),
  };
}

/** What stands at the end of a run and of a stage alike. */
export function besideSections(
  { notes, opaque }: Pick<RunShown, 'notes' | 'opaque'>,
  leftOut: string,
): readonly Section[] {
  return [
    section(null, leftOut === '' ? [] : [paragraph(leftOut)]),
    section('notes', notes.length === 0 ? [] : [lines(notes.map(noteText))]),
    section('not known here', opaque.length === 0 ? [] : [lines(opaque.map(unknownText))]),
  ];
}

/** How it is said that figures are left out while a person decides; empty where nothing is missing. */
export function leftOutText(missing: number, handle: string): string {
  if (missing === 0) return '';
  return `Benchmarks and probe-holdout figures are left out while a person decides, for no engineer is shown them: icecore show ${shellWord(handle)} --all has them.`;
}

function standingText({ state, holder, done, planned, stages, at }: RunShown): string {
  const shared = stages.filter(({ isShared }) => isShared).length;
  const words = [
    holder === null ? state : `${state}, in the hands of ${holder}`,
    `${planned === null ? counted(done, 'stage') : `${count(done)} of ${counted(planned, 'stage')}`} done`,
    ...(shared === 0 ? [] : [`${count(shared)} of them shared`]),
    ...(at === null ? [] : [`begun ${moment(at)}`]),
  ];
  return words.join(', ');
}

function failureBlocks({ failure }: RunShown): readonly Block[] {
  if (failure === null) return [];
  const during = failure.during === null ? '' : ` during ${failure.during}`;
  return [lines([`${failure.reason}${during}: ${failure.message}`])];
}

function stagesBlocks(stages: readonly StageRow[]): readonly Block[] {
  if (stages.length === 0) return [paragraph('No stage has begun.')];
  const strip = stripOf(stages.map(({ shares }) => shares));
  const columns: readonly ColumnOf<StageRow>[] = [
    { title: 'stage', align: 'right', cell: stageName },
    { title: 'mix', mark: 'bars', cell: ({ shares }) => strip.of(shares) },
    { title: 'valid', align: 'right', cell: ({ valid }) => rateText(valid) },
    { title: 'optimal', align: 'right', cell: ({ optimal }) => rateText(optimal) },
    { title: 'signal', align: 'right', cell: ({ signal }) => percent(signal) },
    { title: failuresTitle(stages), cell: topFailures },
  ];
  return [table(stages, columns), ...legend(stages, strip.legend).map(note)];
}

/** What failed adds up to all of it; of all tries something is left. */
function failuresTitle(stages: readonly StageRow[]): string {
  const sums = stages.flatMap(({ failures }) =>
    failures.length === 0 ? [] : [failures.reduce((sum, { share }) => sum + (share ?? 0), 0)],
  );
  return sums.length > 0 && sums.every((sum) => Math.abs(sum - 1) < 1e-9) ? 'failures, % of failed' : 'failures';
}

function legend(stages: readonly StageRow[], mix: string | null): readonly string[] {
  const measures = measuresIn(stages);
  return [
    ...(measures === '' ? [] : [`${measures}: of the validation suite, in %, with 95 % intervals.`]),
    ...(stages.some(({ signal }) => signal !== null) ? ['signal: sample groups whose rewards differed, in %.'] : []),
    ...(mix === null ? [] : [mix]),
    ...stages.flatMap(({ stage, unjudged }) =>
      unjudged === null || unjudged === 0
        ? []
        : [`stage ${stage}: ${counted(unjudged, 'rollout')} of the validation suite could not be judged.`],
    ),
    ...(stages.some(({ isOver }) => !isOver) ? ['… not over.'] : []),
  ];
}

/** `valid, optimal`, as far as they are known. */
function measuresIn(rates: readonly Pick<StageRow, 'valid' | 'optimal'>[], separator = ', '): string {
  const measures = (['valid', 'optimal'] as const).filter((one) => rates.some((rate) => rate[one].value !== null));
  return measures.join(separator);
}

function stageName({ stage, isOver }: StageRow): string {
  return isOver ? String(stage) : `…${stage}`;
}

const topClasses = 3;

function topFailures({ failures }: StageRow): string {
  return failures
    .slice(0, topClasses)
    .map(({ class: name, count: times, share }) => {
      const often = share === null ? (times === null ? '' : ` ${count(times)}`) : ` ${percent(share)}`;
      return `${name}${often}`;
    })
    .join(', ');
}

function decisionsBlocks({ stages, next }: RunShown): readonly Block[] {
  const decisions = [...stages.map(({ decision }) => decision), ...(next === null ? [] : [next])];
  const rows = decisions
    .filter(
      ({ stage, by, rejections, errors }) => stage > 1 || by !== 'initial' || rejections.length + errors.length > 0,
    )
    .map((one) => ({ stage: String(one.stage), text: decisionLine(one) }))
    .filter(({ text }) => text !== '');
  if (rows.length === 0) return [];
  return [
    table(rows, [
      { title: 'stage', align: 'right', mark: 'strong', cell: ({ stage }) => stage },
      { title: 'what changed before it', wraps: true, cell: ({ text }) => text },
    ]),
  ];
}

/** What a person should look at. */
export function alertsSection(stages: readonly Pick<StageRow, 'stage' | 'alerts' | 'overspent'>[]): Section {
  const all = stages.flatMap(({ stage, alerts, overspent }) =>
    [...overspent.map(overspentText), ...alerts.map(alertText)].map((text) => `stage ${stage}: ${text}`),
  );
  return section('alerts', all.length === 0 ? [] : [lines(all)]);
}

function overspentText({ unit, budget, spent }: StageRow['overspent'][number]): string {
  return `training took ${count(spent)} ${unit}, beyond its budget of ${count(budget)}`;
}

function benchmarksSection({ benchmarks }: RunShown): Section {
  const suites = [...new Set(benchmarks.map(({ suite }) => suite))];
  const stages = [...new Set(benchmarks.map(({ stage }) => stage))];
  const rates = (stage: number | null, suite: string): string => {
    const found = benchmarks.findLast((one) => one.stage === stage && one.suite === suite);
    if (found === undefined) return '';
    const optimal = percent(found.optimal.value);
    return optimal === '' ? percent(found.valid.value) : `${percent(found.valid.value)} / ${optimal}`;
  };
  const columns: readonly ColumnOf<number | null>[] = [
    { title: 'stage', align: 'right', cell: (stage) => (stage === null ? '-' : String(stage)) },
    ...suites.map(
      (suite): ColumnOf<number | null> => ({ title: suite, align: 'right', cell: (stage) => rates(stage, suite) }),
    ),
  ];
  const title = `Benchmarks, ${measuresIn(benchmarks, ' / ') || 'valid'} in %; no engineer is ever shown them`;
  return section(title, benchmarks.length === 0 ? [] : [table(stages, columns)]);
}

function noteText({ at, actor, stage, knob, about, tags, says }: NoteRow): string {
  const where = [
    ...(stage === null ? [] : [`stage ${stage}`]),
    ...(knob === null ? [] : [knob]),
    ...(about === null ? [] : [`event ${about}`]),
  ];
  const tagged = tags.length === 0 ? '' : ` (${tags.join(', ')})`;
  return `${moment(at)} ${actor}${where.length === 0 ? '' : `, on ${where.join(', ')}`}: ${says}${tagged}`;
}

/** An event that only those who recorded it know: what it is, and the beginning of what it says. */
export function unknownText({ type, version, stream, revision, data }: UnknownEvent): string {
  const content = generic(data);
  return `${type} version ${version}, ${stream}@${revision}${content === '' ? '' : `: ${content}`}`;
}
