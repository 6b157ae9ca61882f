// The story of a run, stage by stage: who decided, what changed and why, and the result. Consecutive stages without changes
// share a section.

import { afterwardsNote } from '../../../schemas/afterwards.ts';
import type { Report, StoryEntry } from '../../../schemas/report-output.ts';
import type { Decision } from '../../../schemas/run-output.ts';
import { capital, numberWords, percent, rateWords } from '../../../web/charts/words.ts';
import { joinWithAnd } from '../../base/name-lists.ts';
import { counted } from '../../base/quantity.ts';
import {
  type Block,
  code,
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
import { evidenceIdPart } from '../../producers/summaries/summary.ts';
import { editedText, personText } from '../history/run-document.ts';
import { changeRecords, drawingBlocks, predictionBlocks } from './changes.ts';
import { alertWords, courseWords, momentWords, turnWords } from './words.ts';

export function storySection(report: Report): Section {
  const { story, untold } = report;
  const left = `The first ${counted(untold, 'decision')} are shown only in the charts; icecore why explains each of them.`;
  const meaning = afterwardsNote(story);
  const blocks = [
    ...(story.length === 0 ? [paragraph('No stage has started and nothing has been decided.')] : labelBlocks(story)),
    ...(meaning === null ? [] : [paragraph(quiet(meaning))]),
    ...(untold === 0 ? [] : [paragraph(quiet(left))]),
  ];
  const sections = rangesOf(story).map((range) =>
    range.length === 1 ? stageSection(range[0], report) : rangeSection(range, report),
  );
  return section('What happened, and why', blocks, { id: 'story', sections });
}

/** Explains the prefixes of evidence ids to readers without icecore. */
function labelBlocks(story: readonly StoryEntry[]): readonly Block[] {
  const prefixes = new Map<string, Set<string>>();
  for (const { evidenceId, module, family } of story.flatMap(({ changes }) =>
    changes.flatMap(({ evidence }) => evidence),
  )) {
    const prefix = prefixOf(evidenceId, family);
    if (prefix === undefined || module === null) continue;
    prefixes.set(module, (prefixes.get(module) ?? new Set()).add(prefix));
  }
  if (prefixes.size === 0) return [];
  const modules = Array.from(prefixes, ([module, own]) => `${joinWithAnd([...own].sort())} for ${module}`);
  return [
    paragraph(quiet(`Evidence ids name facts of the context that the engineer saw: ${modules.sort().join(', ')}.`)),
  ];
}

/** `B` of `Briver.valid`, which is about the family river; undefined if it begins with no letter. */
function prefixOf(evidenceId: string, family: string | null): string | undefined {
  const [letters] = /^(?:[A-Z]+|[a-z]+)/.exec(evidenceId) ?? [];
  if (letters === undefined || family === null) return letters;
  const name = evidenceIdPart(family);
  const prefixes = Array.from(letters, (_, i) => letters.slice(0, i + 1));
  return prefixes.find((prefix) => evidenceId.startsWith(name, prefix.length)) ?? letters;
}

type Range = [StoryEntry, ...StoryEntry[]];

function rangesOf(story: readonly StoryEntry[]): readonly Range[] {
  const found: Range[] = [];
  for (const entry of story) {
    const range = found.at(-1);
    if (range !== undefined && isQuiet(entry) && isQuiet(range[0]) && isAlike(range[0], entry)) range.push(entry);
    else found.push([entry]);
  }
  return found;
}

function isQuiet({ stage, changed, kept, alerts, notes, rejections, errors, isOver, exemplars }: StoryEntry): boolean {
  const raised = alerts.filter((one) => one.stage === stage);
  return (
    isOver &&
    changed === 0 &&
    [raised, notes, rejections, errors, exemplars, kept ?? []].every(({ length }) => length === 0)
  );
}

function isAlike({ decision: one, isShared }: StoryEntry, { decision: other, isShared: isToo }: StoryEntry): boolean {
  return (
    one.by !== 'initial' &&
    one.by === other.by &&
    one.who === other.who &&
    one.says === other.says &&
    isShared === isToo
  );
}

function rangeSection(range: Range, { run }: Report): Section {
  const [first] = range;
  const stages = range.map(({ stage }) => stage);
  const rates = run.stages.flatMap(({ stage, valid }) => (stages.includes(stage) ? (valid.value ?? []) : []));
  const span = ` on the validation suite: between ${percent(Math.min(...rates))} and ${percent(Math.max(...rates))}.`;
  const reason = first.decision.says === null ? [] : [quote(first.decision.says)];
  return section(
    `Stages ${Math.min(...stages)} to ${Math.max(...stages)}${stateWords(first, run)}`,
    [
      paragraph(...decisionWords(first), ' The same holds for each of these stages.'),
      ...reason,
      ...(rates.length === 0 ? [] : [paragraph(strong('Result'), span)]),
    ],
    { id: `stage-${first.stage}` },
  );
}

function stageSection(entry: StoryEntry, report: Report): Section {
  const { run } = report;
  const row = run.stages.find(({ stage }) => stage === entry.stage);
  const decision = row?.decision ?? (run.next?.stage === entry.stage ? run.next : null);
  return section(
    `Stage ${entry.stage}${stateWords(entry, run)}`,
    [
      paragraph(...decisionWords(entry)),
      ...(entry.decision.says === null ? [] : [quote(entry.decision.says)]),
      ...rejectedBlocks(entry),
      ...erroredBlocks(entry.errors),
      ...passedOverBlocks(entry),
      ...changeBlocks(entry),
      ...startBlocks(entry, report),
      ...keptBlocks(entry),
      ...(decision === null ? [] : predictionBlocks(decision, report.leftOut)),
      ...resultBlocks(entry, row === undefined ? null : rateWords(row.valid), row?.valid.value ?? null),
      ...alertBlocks(entry),
      ...noteBlocks(entry),
      ...drawingBlocks(entry, report),
    ],
    { id: `stage-${entry.stage}` },
  );
}

/** Runs recorded by other programs may lack the end of stages. */
function stateWords({ isBegun, isOver, isShared }: StoryEntry, { state }: Report['run']): string {
  if (!isBegun) return ', not started';
  if (!isOver) return state === 'recorded' ? '' : state === 'running' ? ', in progress' : ', not complete';
  return isShared ? ', shared with its parent' : '';
}

function decisionWords({ decision, stage, changes, changed }: StoryEntry): Words {
  const { by, who, engineer, context, at, proposal, edited, ownReasons, citation, preservation } = decision;
  const shown =
    context === null
      ? []
      : [
          ', with the context ',
          context.form === null ? 'that was recorded' : code(context.form),
          context.isKnown ? ` (${counted(context.evidenceIds, 'evidence id')})` : '',
        ];
  const asks = engineer?.model === undefined ? '' : ` (model ${engineer.model})`;
  const when = at === null ? '' : ` on ${momentWords(at)}`;
  const scores = [
    ...(citation === null ? [] : [`citation score ${numberWords(citation)}`]),
    ...(preservation === null ? [] : [`preservation score ${numberWords(preservation)}`]),
  ];
  const score = scores.length === 0 ? [] : [quiet(` ${capital(scores.join(', '))} (1 is best).`)];
  const knobs = changed === 0 ? 'changed no knob' : `changed ${counted(changed, 'knob')}`;
  switch (by) {
    case 'initial':
      return ['The run started with this configuration.'];
    case 'engineer':
      return ['The engineer ', strong(who ?? 'without a name'), asks, ` ${knobs}${when}`, ...shown, '.', ...score];
    case 'human':
      return [
        'A person, ',
        strong(who === null ? 'unnamed' : personText(who)),
        `, ${knobs}${when}`,
        ...(engineer === null
          ? []
          : [', from the proposal of ', strong(engineer.name), `, ${editedText({ edited, ownReasons })}`]),
        ...shown,
        '.',
        ...score,
      ];
    case 'kept':
      return [
        `The configuration of stage ${stage - 1} was kept, because `,
        ...(who === null ? ['no answer'] : ['no answer of ', strong(who)]),
        ' could be used.',
      ];
    case 'errored':
      return [
        marked('warning', 'This decision errored: '),
        strong(who ?? 'its engineer'),
        ` could not answer, so the configuration of stage ${stage - 1} was kept.`,
      ];
    default:
      if (proposal !== null)
        return [
          strong(who ?? 'An engineer'),
          ` proposed to change ${counted(changes.length, 'knob')}; the proposal was not adopted.`,
        ];
      return [
        marked(
          'warning',
          stage === 1
            ? 'It is not recorded who chose this configuration.'
            : `It is not recorded who decided${changed === 0 ? '' : `; ${counted(changed, 'knob')} changed`}.`,
        ),
      ];
  }
}

function rejectedBlocks({ rejections }: StoryEntry): readonly Block[] {
  return rejections.map(({ engineer, reason, issues: [issue] }) => {
    const why = issue === undefined ? '' : `: ${issue.field} was ${issue.found}; allowed: ${issue.allowed}`;
    return warning(`An answer of ${engineer} was rejected (${reason})${why}`);
  });
}

function erroredBlocks(errors: Decision['errors']): readonly Block[] {
  return errors.map(({ engineer, kind, message }) => warning(`${engineer} errored, ${kind}: ${message}`));
}

function passedOverBlocks({ decision, passedOver }: StoryEntry): readonly Block[] {
  const other = decision.proposal === null ? '' : 'also ';
  const items = passedOver.map(({ engineer, changes, says }): Words => {
    const reason = says === null ? '.' : `: “${says}”`;
    return [
      strong(engineer),
      ` ${other}proposed to change ${counted(changes, 'knob')}, which was not adopted${reason}`,
    ];
  });
  return items.length === 0 ? [] : [list(items)];
}

/** Further changes are listed in one line. */
const mostRows = 20;

function changeBlocks(entry: StoryEntry): readonly Block[] {
  const changes = entry.changes.slice(0, mostRows);
  const rest = entry.changes.slice(mostRows).map((one) => `${one.knob} ${turnWords(one)}`);
  return [
    ...(changes.length === 0 ? [] : [changeRecords({ ...entry, changes })]),
    ...(rest.length === 0 ? [] : [paragraph('Also: ', quiet(`${listing(rest)}.`))]),
  ];
}

const mostListed = 40;

function listing(words: readonly string[]): string {
  const more = words.length > mostListed ? `, and ${words.length - mostListed} more` : '';
  return `${words.slice(0, mostListed).join(', ')}${more}`;
}

/** The knobs before any change. */
function startBlocks({ stage }: StoryEntry, { charts }: Report): readonly Block[] {
  if (stage !== charts.stages[0]) return [];
  const set = charts.knobs.flatMap(({ knob, values }) => {
    const value = values.find((one) => one.stage === stage)?.value ?? null;
    return value === null ? [] : [`${knob}\u00a0${numberWords(value)}`];
  });
  if (set.length === 0) return [];
  return [paragraph('Knobs: ', quiet(`${listing(set)}.`))];
}

const mostKept = 8;

function keptBlocks({ kept }: StoryEntry): readonly Block[] {
  if (kept === null || kept.length === 0) return [];
  const names = kept.slice(0, mostKept).map(({ knob, value }) => `${knob} ${numberWords(value)}`);
  const more = kept.length > mostKept ? ` and ${kept.length - mostKept} more` : '';
  return [paragraph('Kept deliberately: ', quiet(`${names.join(', ')}${more}.`))];
}

function resultBlocks(
  { stage, effects, isBegun }: StoryEntry,
  alone: string | null,
  value: number | null,
): readonly Block[] {
  if (!isBegun) return [];
  const overall = effects.find(({ family }) => family === null);
  if (stage > 1 && overall !== undefined && overall.validation.gain !== null) {
    return [paragraph(strong('Result'), ' on the validation suite: ', ...courseWords(overall.validation), '.')];
  }
  return value === null ? [] : [paragraph(strong('Result'), ` on the validation suite: ${alone ?? ''}.`)];
}

/** Only alerts of the stage itself: earlier ones are with their own stage. */
function alertBlocks({ alerts, stage }: StoryEntry): readonly Block[] {
  return alerts.filter((one) => one.stage === stage).map((one) => warning(capital(alertWords(one))));
}

function noteBlocks({ notes }: StoryEntry): readonly Block[] {
  const items = notes.map(
    ({ actor, at, knob, says }): Words => [
      strong(actor),
      ` noted on ${momentWords(at)}${knob === null ? '' : `, on ${knob}`}: ${says}`,
    ],
  );
  return items.length === 0 ? [] : [list(items)];
}
