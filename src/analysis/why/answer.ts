// Why a stage was configured as it was, in a screenful: the reason first, then one table, or of a single knob the failed
// rollout that its reason rests on, drawn. `whyDocument` has the rest.
import { worthNote } from '../../../schemas/estimated-worth.ts';
import type { Why, WhyChange, WhyCourse, WhyEvidence, WhyExemplar } from '../../../schemas/why-output.ts';
import { count, counted } from '../../base/quantity.ts';
import { truncateText } from '../../base/terminal.ts';
import {
  type Block,
  type ColumnOf,
  type Document,
  drawing,
  filled,
  lines,
  note,
  paragraph,
  right,
  section,
  table,
  warning,
} from '../../document/document.ts';
import {
  alertText,
  courseWithPoints,
  knobText,
  shortTurnText,
  threeDigits,
  wholeCourse,
  wholePercent,
} from '../../document/figures.ts';
import { countedOf, deciderText, eventCommand, placeText, unchangedText, uncitedTitle } from './document.ts';
import { type DrawnRollout, drawnFor } from './drawn.ts';

export function whyAnswer(why: Why): Document {
  const [change, ...others] = why.changes;
  return why.asked !== null && change !== undefined && others.length === 0
    ? knobAnswer(why, change)
    : decisionAnswer(why);
}

function decisionAnswer(why: Why): Document {
  const { stage, decision, changes, changed, unchanged, asked } = why;
  const rest = changes.length - mostChanges;
  const failure = failedRollout(why);
  const knobs =
    asked === null || changes.length > 0
      ? [changed === 0 ? 'No knob changed.' : `${counted(changed, 'knob')} changed.`]
      : [];
  return {
    title: `${placeAsked(why)}: ${decision.says === null ? deciderText(why) : `"${truncateText(decision.says, longestText)}"`}`,
    blocks: [
      ...familyBlocks(why),
      paragraph([...(decision.says === null ? [] : [sentence(deciderText(why))]), ...knobs].join(' ')),
      ...unchanged.slice(0, mostUnchanged).map((one) => paragraph(`${unchangedText(one, stage)}.`)),
      ...overallBlocks(why),
    ],
    sections: filled([
      section(null, changes.length === 0 ? [] : [table(changes.slice(0, mostChanges), columnsOf(why))]),
      section(null, [
        ...(rest > 0 ? [note(`${counted(rest, 'more change')}: --verbose`)] : []),
        ...legend(why),
        ...worthLegend(why.changes.slice(0, mostChanges).map(({ says }) => says)),
        ...citationBlocks(why),
        ...clampBlocks(why),
        ...remarks({ ...why, kept: keptBesides(why) }),
      ]),
      section(null, failure === null ? [] : failureBlocks(failure, why)),
    ]),
  };
}

/** Null where a knob or nothing was asked for. */
function familyAsked({ asked, effects, changes, unchanged }: Why): string | null {
  const isKnob = [...changes, ...unchanged].some(({ knob }) => knob === asked);
  return !isKnob && effects.some(({ family }) => family === asked) ? asked : null;
}

/** `first-run@3, family 8`. */
function placeAsked(why: Why): string {
  const family = familyAsked(why);
  return `${why.name}@${why.stage}${family === null ? '' : `, family ${family}`}`;
}

/** Someone who types a run and a number may have meant a stage. */
function familyBlocks(why: Why): readonly Block[] {
  const family = familyAsked(why);
  if (family === null || !/^[1-9]\d{0,4}$/.test(family)) return [];
  return [note(`${family} is a family here; a stage is named with @: ${why.name}@${why.stage}`)];
}

/** Without the knobs that the answer shows already. */
function keptBesides({ kept, unchanged }: Why): Why['kept'] {
  return kept?.filter(({ knob }) => unchanged.every((one) => one.knob !== knob)) ?? null;
}

const longestText = 200;
/** Of the reason that the answer is about. */
const longestOnlyReason = 600;
const mostChanges = 10;
const mostUnchanged = 3;

function sentence(text: string): string {
  return text === '' ? '' : `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`;
}

/** A change of a knob of all families is followed by the same figures in its row. */
function overallBlocks(why: Why): readonly Block[] {
  const [overall] = why.effects;
  return why.stage === 1 || overall === undefined ? [] : [resultBlock(why, 'all families', overall.validation)];
}

/** What training came to, or where it starts from. */
function resultBlock({ stage, isBegun }: Why, whose: string, course: WhyCourse, family: string | null = null): Block {
  if (isBegun) return paragraph(`After training stage ${stage}, ${whose}: ${courseText(course, family)}.`);
  const { value } = course.before;
  const before = value === null ? '' : ` Before it, ${whose}: valid ${wholePercent(value)} % on validation.`;
  return paragraph(`Stage ${stage} has not begun.${before}`);
}

/** `valid 24 → 63 % on validation (+39 points, intervals do not overlap)` */
function courseText({ before, after, overlap, missing }: WhyCourse, family: string | null = null): string {
  const { course, points } = courseWithPoints(before.value, after.value);
  if (missing !== null) return course === '' ? missing : `valid ${course} on validation; ${missing}`;
  const sure = overlap === null ? '' : overlap ? ', intervals overlap' : ', intervals do not overlap';
  const longer =
    family === null || after.value === null || after.value <= (before.value ?? 0)
      ? ''
      : '; a part may come from one more stage of training';
  return `valid ${course} on validation (${points}${sure}${longer})`;
}

const longestReason = 120;

function columnsOf({ effects }: Why): readonly ColumnOf<WhyChange>[] {
  const effectOn = (family: string | null): WhyCourse | null =>
    effects.find((one) => one.family === family)?.validation ?? null;
  return [
    { title: 'knob', mark: 'strong', cell: ({ knob }) => knob },
    right('change', shortTurnText),
    right('validation %, before → after', ({ family }) => {
      const effect = effectOn(family);
      if (effect === null || effect.gain === null) return '';
      return `${wholeCourse(effect.before.value, effect.after.value).replace(' %', '')}${effect.overlap === false ? ' *' : '  '}`;
    }),
    { title: 'reason', cell: ({ says, evidence }) => reasonText(says, evidence) },
  ];
}

/** As it was given; else the figures it cites. */
function reasonText(says: string | null, evidence: readonly WhyEvidence[]): string {
  if (says !== null) return truncateText(says, longestReason);
  const cited = evidence.map(evidenceText).slice(0, 2);
  return cited.length === 0 ? 'no reason given, no evidence cited' : cited.join(', ');
}

function legend({ changes, effects }: Why): readonly Block[] {
  const isSure = changes.some(
    ({ family }) => effects.find((one) => one.family === family)?.validation.overlap === false,
  );
  const isCut = changes.some(({ says }) => (says ?? '').length > longestReason);
  const isOfProbe = changes.some(({ says }) => /\bprobe\b/.test(says ?? ''));
  const texts = [
    ...(changes.length === 0 || effects.length === 0
      ? []
      : ['validation %: of the whole family, which may also have improved because it was trained for one more stage.']),
    ...(isSure ? ['*: the 95 % intervals do not overlap.'] : []),
    ...(isOfProbe ? ['On probe the policy samples its actions; on validation it takes the likeliest ones.'] : []),
    ...(isCut ? ['Reasons that end with … are whole with --verbose.'] : []),
  ];
  return texts.length === 0 ? [] : [note(texts.join(' '))];
}

export function worthLegend(reasons: readonly (string | null)[]): readonly Block[] {
  const meaning = worthNote(reasons);
  return meaning === null ? [] : [note(meaning)];
}

/** Whether the reasons hold: of how many changes the cited evidence is about their family. */
function citationBlocks({ changes }: Why): readonly Block[] {
  if (changes.length === 0) return [];
  const weak = changes.filter(({ restsOn }) => restsOn !== 'its family');
  if (weak.length === 0) return [note('Every change cites evidence about its own family.')];
  const kinds = Map.groupBy(weak, ({ restsOn }) => restsOn);
  const named = Array.from(kinds, ([restsOn, own]) => {
    const knobs = own.map(({ knob }) => knob);
    const shown = knobs.slice(0, mostNamed).join(', ');
    const more = knobs.length > mostNamed ? ` and ${knobs.length - mostNamed} more` : '';
    return `${citationWords[restsOn]} (${shown}${more})`;
  });
  return [warning(`${counted(weak.length, 'change')} of ${count(changes.length)}: ${named.join('; ')}.`)];
}

const mostNamed = 4;

/** What was proposed and could not be used as it was. */
function clampBlocks({ decision: { clamps }, asked, changes }: Why): readonly Block[] {
  const shown = asked === null ? clamps : clamps.filter(({ knob }) => changes.some((one) => one.knob === knob));
  const more = shown.length > mostClamps ? ` and ${shown.length - mostClamps} more` : '';
  const listed = shown
    .slice(0, mostClamps)
    .map(({ knob, proposed, used, rule }) => `${knob} ${knobText(proposed)} → ${knobText(used)} (${rule})`);
  return listed.length === 0 ? [] : [warning(`Clamped, proposed → used: ${listed.join(', ')}${more}.`)];
}

const mostClamps = 3;

/** What a change rests on, in words that fit a table. */
export const citationWords: Readonly<Record<WhyChange['restsOn'], string>> = {
  'its family': 'evidence about its family',
  'in part': 'evidence that concerns it in part',
  'another family': 'evidence about another family',
  unknown: 'cited evidence was not shown',
  nothing: 'no evidence cited',
  'no context': 'the context is not recorded',
};

const mostAlerts = 2;

function remarks({ alerts, rejections, errors, passedOver, notes, opaque, kept }: Why): readonly Block[] {
  const more = alerts.length - mostAlerts;
  const counts = [
    ...(kept === null || kept.length === 0 ? [] : [`${counted(kept.length, 'knob')} kept on purpose`]),
    ...(rejections.length === 0 ? [] : [counted(rejections.length, 'rejected answer')]),
    ...(errors.length === 0 ? [] : [counted(errors.length, 'error')]),
    ...(passedOver.length === 0 ? [] : [`${counted(passedOver.length, 'proposal')} not adopted`]),
    ...(notes.length === 0 ? [] : [counted(notes.length, 'note')]),
    ...(opaque.length === 0 ? [] : [`${counted(opaque.length, 'event')} of unknown types`]),
  ];
  return [
    ...alerts.slice(0, mostAlerts).map(({ stage, ...alert }) => warning(`Alert, stage ${stage}: ${alertText(alert)}`)),
    ...(more > 0 ? [warning(`${counted(more, 'more alert')}: --verbose`)] : []),
    ...(counts.length === 0 ? [] : [note(`Also ${counts.join(', ')}: --verbose`)]),
  ];
}

function knobAnswer(why: Why, change: WhyChange): Document {
  const { effects } = why;
  const effect = effects.find(({ family }) => family === change.family) ?? effects[0];
  const whose = change.family === null ? 'all families' : `family ${change.family}`;
  const failure = failedRollout(why);
  return {
    title: `${placeAsked(why)}: ${change.knob} ${shortTurnText(change)}${change.makes === null ? '' : ` (${change.makes})`}, ${deciderText(why)}`,
    blocks: [
      ...familyBlocks(why),
      paragraph(change.says === null ? 'No reason was given.' : `"${truncateText(change.says, longestOnlyReason)}"`),
      ...((change.says ?? '').length > longestOnlyReason ? [note('The whole reason: --verbose.')] : []),
      ...change.clamps.map(({ proposed, used, rule }) =>
        warning(`Clamped: ${threeDigits(proposed)} was proposed, ${threeDigits(used)} is used (${rule}).`),
      ),
      citedBlock(change),
      ...worthLegend([change.says]),
      effect === undefined
        ? paragraph(`After training stage ${why.stage}, ${whose}: nothing is recorded.`)
        : resultBlock(why, whose, effect.validation, change.family),
      ...remarks({ ...why, kept: null }),
    ],
    sections: [section(null, failure === null ? [note(noExemplarText(change))] : failureBlocks(failure, why))],
  };
}

/** A rollout to show with the change of one knob, and its heading. */
interface FailedRollout extends Omit<WhyExemplar, 'evidenceId'> {
  readonly title: string;
}

/** One that the reason rests on; otherwise one that it does not cite. */
function failedRollout({ changes, kept, exemplars, uncited }: Why): FailedRollout | null {
  const found = uncited === null ? null : { ...uncited, title: uncitedTitle(uncited) };
  if (found !== null && found.behind !== null) return found;
  for (const { knob, ...reasons } of [...changes, ...(kept ?? [])]) {
    const drawn = drawnFor(reasons, exemplars);
    if (drawn !== null) return { ...drawn.exemplar, title: drawnTitle(drawn, changes.length > 1 ? knob : null) };
  }
  return found;
}

/** `A failed rollout behind FC4.hole, example 2 of the context: family 4, stage 1, hole in step 2`; null: the answer is about one knob. */
function drawnTitle({ evidence: { evidenceId }, exemplar }: DrawnRollout, knob: string | null): string {
  const isItself = evidenceId === exemplar.evidenceId;
  const which = isItself ? `cited for ${knob ?? 'it'} as ${evidenceId}` : `behind ${evidenceId}`;
  const whose = isItself || knob === null ? '' : `, cited for ${knob}`;
  const number = /^F(\d+)$/.exec(exemplar.evidenceId)?.[1];
  const shownAs = number === undefined ? `shown as ${exemplar.evidenceId}` : `example ${number} of the context`;
  const example = isItself ? '' : `, ${shownAs}`;
  return `A failed rollout ${which}${whose}${example}: ${placeText(exemplar)}`;
}

/** Its drawing; without one, what was recorded of it in words. */
function failureBlocks(failure: FailedRollout, { legend: howToRead }: Pick<Why, 'legend'>): readonly Block[] {
  const { title, drawing: text, rollout, failures, says, note: missing } = failure;
  const command = eventCommand(rollout);
  if (text !== null) {
    const drawn = drawing({ title, caption: null, drawing: text, source: command });
    return howToRead === null ? [drawn] : [drawn, note(howToRead)];
  }
  const steps = failures.slice(0, mostSteps).map(stepText);
  const details = [...(steps.length === 0 && says !== null ? [says] : steps), ...(missing === null ? [] : [missing])];
  return [paragraph(title), lines([...details, command])];
}

const mostSteps = 3;

/** `step 2: hole: fell in`. */
function stepText({ step, class: failureClass, says }: WhyExemplar['failures'][number]): string {
  return [step === null ? '' : `step ${step}`, failureClass, says ?? ''].filter((word) => word !== '').join(': ');
}

/** Only rollouts that were shown can be a reason. */
function noExemplarText({ evidence }: WhyChange): string {
  return evidence.some(({ counts }) => counts === true)
    ? 'No failed rollout behind this evidence was shown to the engineer.'
    : 'No failed rollout is cited for this change.';
}

const mostCited = 4;

function citedBlock({ evidence, restsOn }: WhyChange): Block {
  const shown = evidence.slice(0, mostCited).map(evidenceText);
  const more = evidence.length > mostCited ? ` and ${evidence.length - mostCited} more (--verbose)` : '';
  if (shown.length === 0) return warning('Cites no evidence.');
  const text = `Cites ${shown.join(', ')}${more}.`;
  return restsOn === 'its family' ? paragraph(text) : warning(`${text} It has ${citationWords[restsOn]}.`);
}

/** Measures whose names do not say what they are. */
const meanings: Readonly<Record<string, string>> = {
  value: 'reward expected by the policy',
  'agent-steps': 'per attempt',
};

/** `B3.valid 36 % (10 of 28 on probe)`, `F3 a failed rollout`. */
function evidenceText({ figure, note: missing, exemplars, evidenceId, text }: WhyEvidence): string {
  if (missing !== null) return `${evidenceId} ${missing}`;
  if (figure === null)
    return `${evidenceId} ${exemplars.includes(evidenceId) ? 'a failed rollout' : firstLine(text)}`.trimEnd();
  const { measure, about, value, count: times, of } = figure;
  const words = [measure, about ?? ''].filter((word) => word !== '' && !evidenceId.includes(word));
  const what = [evidenceId, ...words].join(' ');
  if (typeof value !== 'number') return `${what}: ${value.reason}`;
  const meaning = meanings[measure];
  if (times === null || of === null)
    return `${what} ${threeDigits(value)}${meaning === undefined ? '' : ` (${meaning})`}`;
  return `${what} ${wholePercent(value)} % (${countedOf(figure)})`;
}

function firstLine(text: string | null): string {
  return truncateText((text ?? '').split('\n')[0]?.trim() ?? '', longestReason);
}
