// The story, stage by stage. Stages of which there is nothing to tell but that all stayed as it was are told together.
import type { Report, Told } from '../../../../schemas/report-output.ts';
import { percent } from '../../../../web/charts/words.ts';
import { type Block, paragraph, type Section, soft, strong } from '../document.ts';
import { decisionWords, stageSection, stateWords } from './stage.ts';
import { counted } from './words.ts';

export function storySection(report: Report): Section {
  const { story, untold } = report;
  const left = `The first ${counted(untold, 'decision')} are left to the charts, for there are too many to tell; icecore why tells any of them.`;
  return {
    id: 'story',
    title: 'What happened, and why',
    blocks: [
      ...(story.length === 0 ? [paragraph('No stage has begun, and nothing was decided yet.')] : labelBlocks(story)),
      ...(untold === 0 ? [] : [paragraph(soft(left))]),
    ],
    sections: stretchesOf(story).map((stretch) =>
      stretch.length === 1 ? stageSection(stretch[0], report) : stretchSection(stretch, report),
    ),
  };
}

/** What evidence ids begin with tells where they stood: said for who has no icecore. */
function labelBlocks(story: readonly Told[]): readonly Block[] {
  const modules = new Map<string, Set<string>>();
  for (const { evidenceId, module } of story.flatMap(({ changes }) => changes.flatMap(({ evidence }) => evidence))) {
    const [prefix] = /^[A-Za-z]+/.exec(evidenceId) ?? [];
    if (prefix === undefined || module === null) continue;
    modules.set(prefix, (modules.get(prefix) ?? new Set()).add(module));
  }
  if (modules.size === 0) return [];
  const told = Array.from(modules, ([prefix, names]) => `${prefix} for ${[...names].join(' or ')}`);
  return [paragraph(soft(`Evidence is cited by its evidence id in what was shown: ${told.sort().join(', ')}.`))];
}

type Stretch = [Told, ...Told[]];

function stretchesOf(story: readonly Told[]): readonly Stretch[] {
  const found: Stretch[] = [];
  for (const told of story) {
    const stretch = found.at(-1);
    if (stretch !== undefined && isQuiet(told) && isQuiet(stretch[0]) && isAlike(stretch[0], told)) stretch.push(told);
    else found.push([told]);
  }
  return found;
}

function isQuiet({ stage, turned, kept, alerts, notes, rejections, errors, isOver, exemplars }: Told): boolean {
  const raised = alerts.filter((one) => one.stage === stage);
  return (
    isOver &&
    turned === 0 &&
    [raised, notes, rejections, errors, exemplars, kept ?? []].every(({ length }) => length === 0)
  );
}

function isAlike({ decision: one, isShared }: Told, { decision: other, isShared: isToo }: Told): boolean {
  return (
    one.by !== 'initial' &&
    one.by === other.by &&
    one.who === other.who &&
    one.says === other.says &&
    isShared === isToo
  );
}

function stretchSection(stretch: Stretch, { run }: Report): Section {
  const [first] = stretch;
  const stages = stretch.map(({ stage }) => stage);
  const rates = run.stages.flatMap(({ stage, valid }) => (stages.includes(stage) ? (valid.value ?? []) : []));
  const span = `, on the validation suite: between ${percent(Math.min(...rates))} and ${percent(Math.max(...rates))}.`;
  const quote: Block[] = first.decision.says === null ? [] : [{ kind: 'quote', text: first.decision.says }];
  return {
    id: `stage-${first.stage}`,
    title: `Stages ${Math.min(...stages)} to ${Math.max(...stages)}${stateWords(first, run)}`,
    blocks: [
      paragraph(...decisionWords(first), ' And so for each of these stages.'),
      ...quote,
      ...(rates.length === 0 ? [] : [paragraph(strong('Then'), span)]),
    ],
    sections: [],
  };
}
