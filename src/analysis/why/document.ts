// Why a stage was configured as it was, as a document: who decided from which context, then a tree for each knob from its reasons
// down to rollouts, then notes and alerts. It is made from the result of `why` alone, so that all formats say the same.
import type {
  Why,
  WhyChange,
  WhyCourse,
  WhyEffect,
  WhyEvent,
  WhyEvidence,
  WhyExemplar,
  WhyFigure,
  WhyReasons,
  WhyUnchanged,
  WhyUncited,
} from '../../../schemas/why-output.ts';
import { listNames } from '../../base/name-lists.ts';
import { count, counted } from '../../base/quantity.ts';
import {
  type Branch,
  type Document,
  filled,
  lines,
  marked,
  note,
  quiet,
  type Section,
  section,
  strong,
  type Text,
  tree,
} from '../../document/document.ts';
import {
  alertText,
  knobText,
  percent,
  pointsText,
  rateText,
  shortDigest,
  stepsText,
  threeDigits,
  turnText,
} from '../../document/figures.ts';
import { clampedText, clampText, personDecidingText, proposedByText, unknownText } from '../history/run-document.ts';
import { otherModelText } from './models.ts';

export function whyDocument(why: Why): Document {
  const drawn: Drawn = new Set();
  return {
    title: `${why.name}@${why.stage}`,
    subtitle: stateText(why),
    blocks: [lines(decisionLines(why))],
    sections: filled([
      changesSection(why, drawn),
      treeSection(
        'not changed',
        why.unchanged.map((one) => leaf(unchangedText(one, why.stage))),
      ),
      treeSection('kept on purpose', keptBranches(why, drawn)),
      section(null, why.legend === null ? [] : [note(why.legend)]),
      treeSection('rejected answers', rejectionBranches(why)),
      treeSection('errors of engineers', errorBranches(why)),
      treeSection('proposed, not adopted', passedOverBranches(why)),
      treeSection(
        'alerts',
        why.alerts.map(({ stage, ...alert }) => leaf(warned(`stage ${stage}: ${alertText(alert)}`))),
      ),
      treeSection('notes', why.notes.map(noteBranch)),
      treeSection(
        'events of unknown types',
        why.opaque.map((event) => leaf(warned(unknownText(event)))),
      ),
    ]),
  };
}

function treeSection(title: string | null, branches: readonly Branch[]): Section {
  return section(title, branches.length === 0 ? [] : [tree(branches)]);
}

function leaf(line: Text): Branch {
  return { lines: [line], branches: [] };
}

function warned(text: string): Text {
  return [marked('warning', text)];
}

function bold(text: string): Text {
  return [strong(text)];
}

function dim(text: string): Text {
  return [quiet(text)];
}

/** A recorded reason, in quotes. */
function quoted(text: string | null): readonly string[] {
  return text === null ? [] : [`"${text}"`];
}

function stateText({ isBegun, isOver, isShared }: Why): string {
  const state = isOver ? 'complete' : isBegun ? 'not complete' : 'not begun';
  return `stage ${state}${isShared ? ', shared history' : ''}`;
}

function decisionLines(why: Why): readonly Text[] {
  const { decision, name, stage } = why;
  const { says, context, recordedBy, adopted } = decision;
  const elsewhere =
    recordedBy === null || recordedBy === name ? '' : `, recorded by ${recordedBy}, whose history it shares`;
  const isBare = decision.by === null && adopted === null;
  const who = `${deciderText(why)}${momentText(decision.at)}${elsewhere}`;
  return [
    isBare ? warned(who) : who,
    ...decision.otherModels.map(otherModelText),
    ...quoted(says),
    ...(context === null ? noContext(why) : [contextLine(context)]),
    ...scoresLines(decision).map(dim),
    ...clampsElsewhere(why).map((one) => warned(clampText(one))),
    ...(stage === 1 || why.changes.some(({ family }) => family === null)
      ? []
      : [`${why.isBegun ? 'afterwards' : 'before'}, all families: ${effectText(why.effects[0])}`]),
  ];
}

/** Those of changed knobs are shown with their changes. */
function clampsElsewhere({ decision, changes, asked }: Why): Why['decision']['clamps'] {
  return asked === null ? decision.clamps.filter(({ knob }) => changes.every((one) => one.knob !== knob)) : [];
}

function scoresLines({ citation, preservation }: Why['decision']): readonly string[] {
  const named = [
    ['citation score', citation, 'how much of the cited evidence is about the changed family'],
    ['preservation score', preservation, 'whether families that work are kept'],
  ] as const;
  const known = named.flatMap(([name, score, meaning]) =>
    score === null ? [] : [`${name} ${threeDigits(score)} (${meaning}; 1 is best)`],
  );
  return known.length === 0 ? [] : [known.join(', ')];
}

export function deciderText({ decision, stage }: Why): string {
  const { by, who, engineer, proposal, edited, ownReasons } = decision;
  const model = engineer?.model === undefined ? '' : ` (${engineer.model})`;
  const weights =
    engineer?.checkpoint?.stage === undefined ? '' : ` (weights after stage ${engineer.checkpoint.stage})`;
  switch (by) {
    case 'engineer':
      return `decided by ${who ?? 'an engineer'}${weights}${model}`;
    case 'human':
      return `decided by ${who === null ? '' : 'a person, '}${personDecidingText({ who, proposedBy: engineer?.name ?? null, edited, ownReasons })}`;
    case 'initial':
      return 'given, not decided: the run started with this configuration';
    case 'kept':
      return `kept from stage ${stage - 1}${who === null ? '' : `: the answer of ${who} was rejected`}`;
    case 'errored':
      return `kept from stage ${stage - 1}: ${who ?? 'the engineer'} errored`;
    default:
      return proposal === null ? 'no decision is recorded' : proposedByText(who ?? 'an engineer');
  }
}

function momentText(at: string | null): string {
  return at === null ? '' : `, ${at.slice(0, 16).replace('T', ' ')}`;
}

function noContext({ decision: { by } }: Why): readonly Text[] {
  return by === 'engineer' || by === 'human' ? [dim('no context was shown')] : [];
}

function contextLine({ form, digest, evidenceIds, isKnown }: NonNullable<Why['decision']['context']>): Text {
  const what = `shown ${form === null ? '' : `${form}, `}context ${shortDigest(digest)}`;
  if (!isKnown) return warned(`${what}: not in this ledger, or unreadable`);
  return dim(`${what}: ${counted(evidenceIds, 'evidence id')}`);
}

function effectText(effect: WhyEffect | undefined): string {
  return effect === undefined ? '' : `validation ${courseText(effect.validation)}`;
}

function changesSection(why: Why, drawn: Drawn): Section {
  const { changes, changed, decision } = why;
  const families = [...new Set(changes.map(({ family }) => family))];
  const branches = families.map((family) => familyBranch(why, family, drawn));
  if (changed === 0) return section(null, [lines([noChangeText(decision.by)]), tree(branches)]);
  const title =
    changes.length === changed
      ? `changed: ${counted(changed, 'knob')}`
      : `${changes.length} of the ${counted(changed, 'change')} of this decision`;
  return treeSection(changes.length === 0 ? null : title, branches);
}

function noChangeText(by: Why['decision']['by']): string {
  return by === 'initial' ? 'there is no stage before it' : 'no knob changed';
}

/** A single changed knob of a family needs no branch for the family. */
function familyBranch(why: Why, family: string | null, drawn: Drawn): Branch {
  const knobs = why.changes.filter((one) => one.family === family);
  const [first] = knobs;
  const effects = effectBranches(why, family);
  if (knobs.length === 1 && first !== undefined) {
    const branch = changeBranch(first, why, drawn);
    return { ...branch, branches: [...branch.branches, ...effects] };
  }
  return {
    lines: [bold(familyText(family))],
    branches: [...knobs.map((one) => changeBranch(one, why, drawn)), ...effects],
  };
}

function familyText(family: string | null): string {
  return family === null ? 'all families' : `family ${family}`;
}

function changeBranch(change: WhyChange, why: Why, drawn: Drawn): Branch {
  return {
    lines: [bold(changeText(change)), ...clampLines(change), ...reasonLines(change, why.depth)],
    branches: [
      ...reasonBranches(change, why, drawn),
      ...(why.uncited !== null && change === why.changes[0] ? [uncitedBranch(why.uncited)] : []),
    ],
  };
}

function uncitedBranch(uncited: WhyUncited): Branch {
  const { drawing, note: missing, rollout } = uncited;
  return {
    lines: [
      `${uncitedTitle(uncited)}; ${eventCommand(rollout)}`,
      ...(drawing === null ? [] : [{ drawing }]),
      ...(missing === null ? [] : [warned(missing)]),
    ],
    branches: [],
  };
}

/** `As an example, a failed rollout of family 3 not shown to the engineer: stage 1, hole in step 2`. */
export function uncitedTitle(uncited: WhyUncited): string {
  const { family, wasShown, evidenceId, behind } = uncited;
  if (behind !== null) {
    return `A failed rollout counted in ${behind}, itself not shown to the engineer: ${placeText(uncited)}`;
  }
  const whose = family === null ? '' : ` of family ${family}`;
  const which =
    wasShown === null
      ? ', which the change does not cite'
      : wasShown
        ? ` that the engineer was shown${evidenceId === null ? '' : ` (${evidenceId})`} but did not cite`
        : ' not shown to the engineer';
  return `As an example, a failed rollout${whose}${which}: ${placeText({ ...uncited, family: null })}`;
}

/** `family 3, stage 1, hole in step 2`. */
export function placeText(exemplar: Pick<WhyExemplar, 'family' | 'stage' | 'class' | 'outcome' | 'failures'>): string {
  const { family, stage } = exemplar;
  return [
    ...(family === null ? [] : [`family ${family}`]),
    ...(stage === null ? [] : [`stage ${stage}`]),
    failureText(exemplar),
  ].join(', ');
}

function failureText({
  class: failureClass,
  outcome,
  failures,
}: Pick<WhyExemplar, 'class' | 'outcome' | 'failures'>): string {
  const step = failures[0]?.step ?? null;
  return `${failureClass ?? outcome ?? 'failed'}${step === null ? '' : ` in step ${step}`}`;
}

export function eventCommand({ event, stream, revision }: WhyEvent): string {
  return `icecore event show ${stream === null ? event : `${stream}@${revision}`}`;
}

function changeText(change: WhyChange): string {
  const beside = [change.steps === null ? '' : stepsText(change.steps), change.makes ?? ''].filter(
    (word) => word !== '',
  );
  return `${change.knob} ${turnText(change)}${beside.length === 0 ? '' : ` (${beside.join(', ')})`}`;
}

function clampLines({ clamps }: WhyChange): readonly Text[] {
  return clamps.map((clamp) => warned(clampedText(clamp)));
}

/** How the family did afterwards; from depth 3 on also on probes and in training. */
function effectBranches({ effects, depth, isBegun }: Why, family: string | null): readonly Branch[] {
  const effect = effects.find((one) => one.family === family);
  if (effect === undefined) return [];
  const head = `${isBegun ? 'afterwards' : 'before'}, ${familyText(family)}: ${effectText(effect)}`;
  const more = [`probe pool ${courseText(effect.probe)}`, `learning signal ${courseText(effect.signal)}`];
  return [{ lines: [head, ...(depth < 3 ? [] : more)], branches: [] }];
}

export function unchangedText({ knob, value, last, next }: WhyUnchanged, stage: number): string {
  const later = next === null ? '' : `; it changes next for stage ${next.stage}: ${turnText(next)}`;
  if (stage === 1) return `${knob} starts at ${knobText(value)}${later}`;
  const since =
    last === null ? 'unchanged since the start' : `unchanged since stage ${last.stage}, when it went ${turnText(last)}`;
  return `${knob} stays ${knobText(value)}, ${since}${later}`;
}

function keptBranches(why: Why, drawn: Drawn): readonly Branch[] {
  return (why.kept ?? []).map((one) => ({
    lines: [bold(`${one.knob} ${knobText(one.value)}`), ...reasonLines(one, why.depth)],
    branches: reasonBranches(one, why, drawn),
  }));
}

function rejectionBranches({ rejections }: Why): readonly Branch[] {
  return rejections.map(({ event, engineer, reason, issues }) => ({
    lines: [
      warned(`of ${engineer}, ${reason}; icecore event show ${event}`),
      ...issues.map(({ field, found, allowed }) => `${field}: found ${found}, allowed: ${allowed}`),
    ],
    branches: [],
  }));
}

function errorBranches({ errors }: Why): readonly Branch[] {
  return errors.map(({ event, engineer, kind, message }) => ({
    lines: [warned(`of ${engineer}, ${kind}; icecore event show ${event}`), message],
    branches: [],
  }));
}

function passedOverBranches({ passedOver }: Why): readonly Branch[] {
  return passedOver.map(({ event, engineer, changes, says }) => ({
    lines: [`by ${engineer}: ${counted(changes, 'change')}; icecore event show ${event}`, ...quoted(says)],
    branches: [],
  }));
}

function noteBranch({ actor, at, knob, says }: Why['notes'][number]): Branch {
  return leaf(`${actor}${momentText(at)}${knob === null ? '' : `, on ${knob}`}: ${says}`);
}

/** Evidence ids of rollouts drawn so far: each is drawn once. */
type Drawn = Set<string>;

function reasonLines({ says, cites, verdict, restsOn }: WhyReasons, depth: number): readonly Text[] {
  const isBare = cites === null || cites.length === 0;
  const toned = restsOn === 'its family' && verdict.startsWith('rests') ? dim : warned;
  const cited = isBare || depth > 2 ? verdict : `cites ${cites.join(', ')}: ${verdict}`;
  if (depth < 2) return restsOn === 'its family' ? [] : [toned(verdict)];
  return [...quoted(says), toned(cited)];
}

function reasonBranches({ evidence }: WhyReasons, why: Why, drawn: Drawn): readonly Branch[] {
  if (why.depth < 3) return [];
  const width = Math.max(0, ...evidence.map(({ evidenceId }) => evidenceId.length));
  const evidenceIds = [...new Set(evidence.flatMap(({ exemplars }) => exemplars))];
  const seen = evidenceIds.flatMap((evidenceId) => why.exemplars.find((one) => one.evidenceId === evidenceId) ?? []);
  const figures = evidence.filter(({ evidenceId }) => !seen.some((one) => one.evidenceId === evidenceId));
  return [
    ...figures.map((one) => evidenceBranch(one, width, why.stage)),
    ...seen.map((one) => exemplarBranch(one, evidence, drawn)),
    ...(why.depth === 4 && evidenceIds.length === 0 && evidence.some(isOfRollouts)
      ? [leaf(dim('none of the rollouts behind it was shown'))]
      : []),
  ];
}

function isOfRollouts({ status, counts }: WhyEvidence): boolean {
  return status === 'shown' && counts === true;
}

function evidenceBranch(evidence: WhyEvidence, width: number, stage: number): Branch {
  const { evidenceId, since, text, note, status } = evidence;
  const now = since === null ? '' : `after stage ${stage} ${figureText(since)}`;
  const missing = note === null ? '' : status === 'not-shown' ? `not shown: ${note}` : note;
  const words = [meaningText(evidence), now, concernText(evidence), missing].filter((word) => word !== '');
  const isSound = note === null && evidence.concerns !== 'another family' && evidence.counts !== false;
  const first = `${evidenceId.padEnd(width)}  ${words.join('; ')}`.trimEnd();
  const further = (text ?? '')
    .split('\n')
    .map((one) => one.trim())
    .filter((one) => one !== '');
  return { lines: [isSound ? first : warned(first), ...further], branches: [] };
}

/** The figure, or that it is a rollout. */
function meaningText({ evidenceId, figure, exemplars, family }: WhyEvidence): string {
  if (figure === null) return exemplars.includes(evidenceId) ? rolloutText(family) : '';
  return [subjectText(evidenceId, figure), figureText(figure)].filter((word) => word !== '').join(' ');
}

function rolloutText(family: string | null): string {
  return `a rollout${family === null ? '' : ` of family ${family}`}`;
}

/** Why it may not support the change; empty where it does. */
function concernText({ concerns, family, counts, module }: WhyEvidence): string {
  const whose = family === null ? 'about all families' : `about family ${family}`;
  const words = [
    ...(concerns === 'another family' ? [`${whose}, another one`] : concerns === 'in part' ? [whose] : []),
    ...(counts === false ? [`not about what the policy did${module === null ? '' : ` (${module})`}`] : []),
  ];
  return words.join('; ');
}

function exemplarBranch(exemplar: WhyExemplar, evidence: readonly WhyEvidence[], drawn: Drawn): Branch {
  const { evidenceId, says, drawing, note } = exemplar;
  const first = `${evidenceId}  ${headText(exemplar, evidence)}`;
  if (drawn.has(evidenceId)) return leaf(`${first}; see above`);
  drawn.add(evidenceId);
  return {
    lines: [
      first,
      ...quoted(drawing !== null && says !== null && drawing.includes(says) ? null : says),
      ...(drawing === null ? [] : [{ drawing }]),
      ...(note === null ? [] : [warned(note)]),
    ],
    branches: [],
  };
}

/** `a rollout of family 8: hole in step 1; evidence-k3v-1-0-0@17`. */
function headText(exemplar: WhyExemplar, evidence: readonly WhyEvidence[]): string {
  const { evidenceId, family, rollout, stage } = exemplar;
  const own = evidence.find((one) => one.evidenceId === evidenceId);
  const when = stage === null ? '' : ` in stage ${stage}`;
  const whose = `${rolloutText(family)}${when}: ${failureText(exemplar)}`;
  const concern = own === undefined ? '' : concernText(own);
  return [whose, concern, eventCommand(rollout)].filter((word) => word !== '').join('; ');
}

/** `2 of 32 on probe`: probes and validation have different tasks. */
export function countedOf({ count: times, of, splits }: WhyFigure): string {
  const on = splits.length === 0 ? '' : ` on ${listNames(splits)}`;
  return `${count(times ?? 0)} of ${count(of ?? 0)}${on}`;
}

/** `6.3 % [1, 28], 2 of 32 on probe`; a mean as a number. */
function figureText(figure: WhyFigure): string {
  const { value, count: times, of, low, high } = figure;
  if (typeof value !== 'number') return `none: ${value.reason}`;
  if (times === null || of === null) {
    const interval = low === null || high === null ? '' : ` [${threeDigits(low)}, ${threeDigits(high)}]`;
    return `${threeDigits(value)}${interval}`;
  }
  const interval = low === null || high === null ? '' : ` [${(100 * low).toFixed(0)}, ${(100 * high).toFixed(0)}]`;
  return `${percent(value)} %${interval}, ${countedOf(figure)}`;
}

/** The parts of its name that are not in the evidence id. */
function subjectText(evidenceId: string, { measure, about }: WhyFigure): string {
  return [measure, about ?? ''].filter((word) => word !== '' && !evidenceId.includes(word)).join(' ');
}

/** `40.0 [26, 55] → 90.0 [79, 96] %, +50.0 points, intervals do not overlap`. */
function courseText({ before, after, overlap, missing }: WhyCourse): string {
  const [from, to] = [rateText(before), rateText(after)];
  if (missing !== null) return from === '' ? (to === '' ? missing : `${to} %; ${missing}`) : `${from} %; ${missing}`;
  const sure = overlap === null ? '' : overlap ? ', intervals overlap' : ', intervals do not overlap';
  return `${from} → ${to} %, ${pointsText(before.value, after.value)} points${sure}`;
}
