// What stands beside the story: failures as they were drawn, benchmarks, and what people said and decided.
import type { Report } from '../../../../schemas/report-output.ts';
import { rateWords } from '../../../../web/charts/words.ts';
import { type Block, paragraph, type Section, soft, strong, type Words, warning } from '../document.ts';
import { failureDrawn } from './drawings.ts';
import { alertWords, counted, momentWords } from './words.ts';

/** Sections with nothing to say are left out. */
export function besideSections(report: Report): readonly Section[] {
  return [drawnSection(report), benchmarksSection(report), peopleSection(report)].flatMap((one) => one ?? []);
}

function drawnSection({ drawn }: Report): Section | null {
  const [first] = drawn;
  if (first === undefined) return null;
  const says = `Rollouts of stage ${first.stage} that stand for many, as engineers are shown them.`;
  return section('failures', 'Failures, drawn', [
    paragraph(says),
    { kind: 'drawings', drawings: drawn.map(failureDrawn) },
  ]);
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
  return section('benchmarks', 'Benchmarks', [
    paragraph('No engineer is ever shown these: they measure, and steer nothing.'),
    { kind: 'table', table: { columns, rows }, caption: 'Benchmarks', isFolded: false },
  ]);
}

function peopleSection({ run, story }: Report): Section | null {
  const decided = story.filter(({ decision }) => decision.by === 'human');
  const alerts = run.stages.flatMap(({ stage, alerts: raised }) => raised.map((one) => ({ stage, one })));
  const blocks: readonly Block[] = [
    ...listOf(
      'Alerts',
      alerts.map(({ stage, one }): Words => [`Stage ${stage}: `, warning(alertWords(one))]),
    ),
    ...listOf(
      'Decisions by people',
      decided.map(
        ({ stage, decision, turned }): Words => [
          strong(decision.who ?? decision.actor ?? 'a person'),
          ` decided on stage ${stage}${decision.at === null ? '' : ` on ${momentWords(decision.at)}`} and turned ${counted(turned, 'knob')}.`,
        ],
      ),
    ),
    ...listOf(
      'Notes',
      run.notes.map(
        ({ actor, at, stage, knob, says, tags }): Words => [
          strong(actor),
          ` on ${momentWords(at)}${stage === null ? '' : `, stage ${stage}`}${knob === null ? '' : `, ${knob}`}: ${says}`,
          ...(tags.length === 0 ? [] : [soft(` (${tags.join(', ')})`)]),
        ],
      ),
    ),
  ];
  return blocks.length === 0 ? null : section('notes', 'Alerts, decisions by people, notes', blocks);
}

function listOf(title: string, items: readonly Words[]): readonly Block[] {
  return items.length === 0 ? [] : [paragraph(strong(title)), { kind: 'list', items }];
}

function section(id: string, title: string, blocks: readonly Block[]): Section {
  return { id, title, blocks, sections: [] };
}
