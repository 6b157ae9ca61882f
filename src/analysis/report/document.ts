// A report as a document: first the result of the run, then the story, charts, failures, benchmarks and notes, how the run was
// made, and how to check it.

import type { Report } from '../../../schemas/report-output.ts';
import type { Decision } from '../../../schemas/run-output.ts';
import { chartsOf } from '../../../web/charts/charts.ts';
import { rateWords } from '../../../web/charts/words.ts';
import { counted } from '../../base/quantity.ts';
import {
  type Block,
  chart,
  code,
  type Document,
  generatorOf,
  list,
  marked,
  paragraph,
  quiet,
  quote,
  type Section,
  section,
  strong,
  type Words,
  warning,
} from '../../document/document.ts';
import { htmlText } from '../../document/html.ts';
import { personText } from '../history/run-document.ts';
import { failureDrawing } from './changes.ts';
import { checkSection, madeSection } from './provenance.ts';
import { storySection } from './story.ts';
import { alertWords, between, courseWords, isBlind, momentWords, pointsWords } from './words.ts';

export function reportHtml(report: Report): string {
  const { run, name } = report.run;
  return htmlText(reportDocument(report), { generator: generatorOf('report', run), tab: `${name}: icecore report` });
}

export function reportDocument(report: Report): Document {
  const { run, by, as_of } = report;
  const form = isBlind(run) ? null : run.form;
  const subtitle = [run.environment, run.engineer, form].filter((word) => word !== null).join(' · ');
  return {
    title: run.name,
    subtitle,
    footer: `Made by icecore ${by} on ${momentWords(as_of)} UTC from ledger ${report.ledger.id}.`,
    blocks: openingBlocks(report),
    sections: [
      storySection(report),
      ...chartsSection(report),
      ...otherSections(report),
      madeSection(report),
      checkSection(report),
    ],
  };
}

function chartsSection({ charts }: Report): readonly Section[] {
  const drawn = chartsOf(charts).filter(({ name }) => name !== 'course');
  if (drawn.length === 0) return [];
  return [
    section(
      'Charts',
      drawn.map((one) => chart(one)),
      { id: 'charts' },
    ),
  ];
}

const reading = 'Numbers in brackets are 95\u00a0% intervals in percent. Times are UTC.';

function openingBlocks(report: Report): readonly Block[] {
  return [
    { kind: 'figures', figures: figuresOf(report) },
    paragraph(...settingsWords(report)),
    ...(report.run.asked.says === null ? [] : [quote(report.run.asked.says)]),
    ...outcomeBlocks(report),
    ...benchmarkBlocks(report),
    ...(report.charts.rates.length === 0 ? [] : [paragraph(quiet(reading))]),
    ...caveats(report),
    ...courseBlocks(report),
  ];
}

/** The one chart that a reader needs first. */
function courseBlocks({ charts }: Report): readonly Block[] {
  const course = chartsOf(charts).find(({ name }) => name === 'course');
  return course === undefined ? [] : [chart(course)];
}

function figuresOf({ run }: Report): Extract<Block, { kind: 'figures' }>['figures'] {
  const measured = run.stages.filter(({ valid }) => valid.value !== null);
  const [first, last] = [measured[0], measured.at(-1)];
  const changing = changingDecisions(run);
  const changedKnobs = changing.flatMap(({ changes }) => changes.map(({ knob }) => knob));
  const alerts = run.stages.reduce((sum, one) => sum + one.alerts.length, 0);
  const gain = first === undefined || last === undefined ? 0 : (last.valid.value ?? 0) - (first.valid.value ?? 0);
  return [
    ...(last === undefined
      ? []
      : [
          {
            name: 'valid',
            value: rateWords({ ...last.valid, low: null, high: null }),
            explanation:
              last === first ? `validation, stage ${last.stage}` : `${pointsWords(gain)} since stage ${first?.stage}`,
          },
        ]),
    {
      name: 'stages',
      value: run.planned === null ? String(run.stages.length) : `${run.done} of ${run.planned}`,
      explanation: run.state,
    },
    {
      name: 'knobs changed',
      value: String(new Set(changedKnobs).size),
      explanation:
        changedKnobs.length === 0
          ? 'no changes'
          : `${counted(changedKnobs.length, 'change')} in ${counted(changing.length, 'decision')}`,
    },
    { name: 'alerts', value: String(alerts), explanation: alerts === 0 ? 'none raised' : 'listed below' },
  ];
}

/** Includes decisions that the story leaves out. A proposal that was not adopted changes nothing. */
function changingDecisions({ stages, next }: Report['run']): readonly Decision[] {
  const begun = stages.filter(({ stage }) => stage > 1).map(({ decision }) => decision);
  const decided = next === null || next.adopted === null ? begun : [...begun, next];
  return decided.filter(({ changes }) => changes.length > 0);
}

function settingsWords({ run }: Report): Words {
  const { asked, environment, at } = run;
  const { policy, trainer, source } = asked;
  const imported = source === null ? '' : ` It was imported from ${source}.`;
  const begun = at === null ? '' : ` It started on ${momentWords(at)} UTC.`;
  return [
    strong(run.name),
    run.stages.length === 0 ? ' will train ' : ' trained ',
    ...(policy === null ? ['a policy'] : ['the policy ', code(policy.name)]),
    ...(trainer === null ? [] : [' with ', code(trainer.name)]),
    ...(environment === null ? [] : [' on ', code(environment)]),
    run.stages.length === 0 ? '; no stage has started.' : `, in ${counted(run.stages.length, 'stage')}.`,
    ...engineerWords(run),
    begun,
    imported,
    forkWords(run),
  ];
}

function engineerWords(run: Report['run']): Words {
  const { engineer, form } = run.asked;
  if (engineer === null) return [];
  const decides = [' Between stages ', strong(engineer.name), ' decides how the environment changes'];
  if (isBlind(run)) return [...decides, ', without any context.'];
  return form === null
    ? [...decides, '.']
    : [...decides, ', with the context ', code(form.name ?? form.modules.join('+')), '.'];
}

function forkWords({ parent, stages }: Report['run']): string {
  if (parent === null || !parent.isThere) return '';
  const shared = stages.filter(({ isShared }) => isShared).length;
  const which = shared === 1 ? 'its first stage' : `its first ${counted(shared, 'stage')}`;
  return ` It is a fork of ${parent.name} and shares ${which}.`;
}

/** From the first measured stage to the last. */
function outcomeBlocks({ run }: Report): readonly Block[] {
  const measured = run.stages.filter(({ valid }) => valid.value !== null);
  const [first, last] = [measured[0], measured.at(-1)];
  if (first === undefined || last === undefined || first === last) return [];
  const optimal = between(first.optimal, last.optimal);
  return [
    paragraph(
      `On the validation suite, from stage ${first.stage} to stage ${last.stage}: valid `,
      ...courseWords(between(first.valid, last.valid)),
      ...(optimal.gain === null ? [] : ['; optimal ', ...courseWords(optimal)]),
      '.',
    ),
  ];
}

/** The table has the others. */
const mostBenchmarks = 6;

/** Benchmarks come early in a report, because they influenced no decision. */
function benchmarkBlocks({ run: { benchmarks } }: Report): readonly Block[] {
  const measuredRows = benchmarks.filter(({ stage, valid }) => stage !== null && valid.value !== null);
  const suites = [...Map.groupBy(measuredRows, ({ suite }) => suite)].slice(0, mostBenchmarks);
  const spans = suites.flatMap(([suite, rows]) => {
    const [first, last] = [rows[0], rows.at(-1)];
    return first === undefined || last === undefined ? [] : [{ suite, first, last, when: spanWords(first, last) }];
  });
  const [whole] = spans;
  if (whole === undefined) return [];
  const isAlike = spans.every(({ when }) => when === whole.when);
  const items = spans.map(({ suite, first, last, when }): Words => {
    const rates = first === last ? [rateWords(last.valid)] : courseWords(between(first.valid, last.valid));
    return [code(suite), `${isAlike ? '' : `, ${when}`}: `, ...rates];
  });
  const when = isAlike ? `, ${whole.when}` : '';
  return [paragraph(`On benchmarks, which engineers never see${when}:`), list(items)];
}

type BenchmarkRow = Report['run']['benchmarks'][number];

function spanWords(first: BenchmarkRow, last: BenchmarkRow): string {
  return first === last ? `after stage ${last.stage}` : `from stage ${first.stage} to stage ${last.stage}`;
}

function caveats({ run, leftOut }: Report): readonly Block[] {
  const { state, holder, failure, parent, opaque } = run;
  const items: readonly (string | null)[] = [
    state === 'running'
      ? `The run is in progress${holder === null ? '' : ` on ${holder}`}. This report covers what is recorded so far.`
      : null,
    state === 'stopped' ? 'The run was stopped early. This report covers what is recorded so far.' : null,
    failure === null
      ? null
      : `The run failed${failure.during === null ? '' : ` during ${failure.during}`}: ${failure.reason}, ${failure.message}`,
    parent === null || parent.isThere
      ? null
      : `The run is a fork of ${parent.name} from stage ${parent.stage}, but this ledger does not contain that history.`,
    leftOut
      ? 'Benchmarks and probe-holdout figures are left out, because a person still has to decide and engineers never see them.'
      : null,
    ...opaque.map(
      ({ type, version, stream, revision }) =>
        `${type} version ${version}, ${stream}@${revision}, is unknown to this version of icecore and left out.`,
    ),
  ];
  return items.flatMap((text) => (text === null ? [] : [warning(text)]));
}

/** Empty sections are left out. */
function otherSections(report: Report): readonly Section[] {
  return [drawnSection(report), benchmarksSection(report), peopleSection(report)].flatMap((one) => one ?? []);
}

function drawnSection(report: Report): Section | null {
  const { drawn } = report;
  const [first] = drawn;
  if (first === undefined) return null;
  const says = `Representative failed rollouts of stage ${first.stage}, as engineers see them.`;
  return section('Failures', [paragraph(says), ...drawn.map((one) => failureDrawing(one, report))], {
    id: 'failures',
  });
}

function benchmarksSection({ run: { benchmarks } }: Report): Section | null {
  if (benchmarks.length === 0) return null;
  const suites = [...new Set(benchmarks.map(({ suite }) => suite))];
  const stages = [...new Set(benchmarks.map(({ stage }) => stage))];
  const hasOptimal = benchmarks.some(({ optimal }) => optimal.value !== null);
  const rows = suites.flatMap((suite) =>
    (hasOptimal ? (['valid', 'optimal'] as const) : (['valid'] as const)).map((measure) => [
      suite,
      measure,
      ...stages.map((stage) => {
        const found = benchmarks.findLast((one) => one.stage === stage && one.suite === suite);
        return found === undefined || found[measure].value === null ? '' : rateWords(found[measure]);
      }),
    ]),
  );
  const columns = [
    'suite',
    'rate',
    ...stages.map((stage) => (stage === null ? 'outside of stages' : `after stage ${stage}`)),
  ];
  return section(
    'Benchmarks',
    [
      paragraph('Engineers never see these results, so they influence no decision.'),
      { kind: 'table', columns: columns.map((title) => ({ title })), rows },
    ],
    { id: 'benchmarks' },
  );
}

function peopleSection({ run, story }: Report): Section | null {
  const decided = story.filter(({ decision }) => decision.by === 'human');
  const alerts = run.stages.flatMap(({ stage, alerts: raised }) => raised.map((one) => ({ stage, one })));
  const blocks: readonly Block[] = [
    ...listOf(
      'Alerts',
      alerts.map(({ stage, one }): Words => [`Stage ${stage}: `, marked('warning', alertWords(one))]),
    ),
    ...listOf(
      'Decisions by people',
      decided.map(
        ({ stage, decision, changed }): Words => [
          strong(personText(decision.who ?? decision.actor)),
          ` decided stage ${stage}${decision.at === null ? '' : ` on ${momentWords(decision.at)}`} and changed ${counted(changed, 'knob')}.`,
        ],
      ),
    ),
    ...listOf(
      'Notes',
      run.notes.map(
        ({ actor, at, stage, knob, says, tags }): Words => [
          strong(actor),
          ` on ${momentWords(at)}${stage === null ? '' : `, stage ${stage}`}${knob === null ? '' : `, ${knob}`}: ${says}`,
          ...(tags.length === 0 ? [] : [quiet(` (${tags.join(', ')})`)]),
        ],
      ),
    ),
  ];
  return blocks.length === 0 ? null : section('Alerts, decisions by people, notes', blocks, { id: 'notes' });
}

function listOf(title: string, items: readonly Words[]): readonly Block[] {
  return items.length === 0 ? [] : [paragraph(strong(title)), list(items)];
}
