// Why a stage was configured as it was, as a document: who decided and on what, then knob by knob the reasons and what its
// family did, as a tree down to the rollouts, then what there is beside. Made from the value alone, so that every form says the
// same.
import type {
  Why,
  WhyChange,
  WhyCourse,
  WhyEffect,
  WhyEvidence,
  WhyExemplar,
  WhyFigure,
  WhyReasons,
  WhyUnchanged,
} from '../../../schemas/why-output.ts';
import { count, counted } from '../../base/quantity.ts';
import {
  type Branch,
  type Document,
  filled,
  lines,
  marked,
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
import { unknownText } from '../history/run-document.ts';

export function whyDocument(why: Why): Document {
  const drawn: Drawn = new Set();
  return {
    title: `${why.name}@${why.stage}`,
    subtitle: stateText(why),
    blocks: [lines(decisionLines(why))],
    sections: filled([
      changesSection(why, drawn),
      treeSection(
        'not turned',
        why.unchanged.map((one) => leaf(unchangedText(one, why.stage))),
      ),
      treeSection('kept on purpose', keptBranches(why, drawn)),
      treeSection('answers that could not be used', rejectionBranches(why)),
      treeSection('errors that kept engineers from answering', errorBranches(why)),
      treeSection('proposed and not adopted', passedOverBranches(why)),
      treeSection(
        'alerts',
        why.alerts.map(({ stage, ...alert }) => leaf(warned(`stage ${stage}: ${alertText(alert)}`))),
      ),
      treeSection('notes', why.notes.map(noteBranch)),
      treeSection(
        'not known here',
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

/** What somebody said, in their words; nothing where nobody said anything. */
function quoted(text: string | null): readonly string[] {
  return text === null ? [] : [`"${text}"`];
}

function stateText({ isBegun, isOver, isShared }: Why): string {
  const state = isOver ? 'over' : isBegun ? 'not over' : 'not begun';
  return `${state}${isShared ? ', shared history' : ''}`;
}

function decisionLines(why: Why): readonly Text[] {
  const { decision, name, stage } = why;
  const { says, context, recordedBy, adopted } = decision;
  const elsewhere =
    recordedBy === null || recordedBy === name ? '' : `, recorded by ${recordedBy}, whose history it shares`;
  const isBare = decision.by === null && adopted === null;
  const who = `${whoText(why)}${momentText(decision.at)}${elsewhere}`;
  return [
    isBare ? warned(who) : who,
    ...quoted(says),
    ...(context === null ? noContext(why) : [contextLine(context)]),
    ...scoresLines(decision).map(dim),
    ...(stage === 1 || why.changes.some(({ family }) => family === null)
      ? []
      : [`then, all families: ${thenText(why.effects[0])}`]),
  ];
}

function scoresLines({ citation, preservation }: Why['decision']): readonly string[] {
  const named = [
    ['citation score', citation],
    ['preservation score', preservation],
  ] as const;
  const known = named.flatMap(([name, score]) => (score === null ? [] : [`${name} ${threeDigits(score)}`]));
  return known.length === 0 ? [] : [known.join(', ')];
}

function whoText({ decision, stage }: Why): string {
  const { by, who, engineer, proposal } = decision;
  const asks = engineer?.model === undefined ? '' : `, which asks ${engineer.model}`;
  const snapshot =
    engineer?.checkpoint?.stage === undefined ? '' : `, the snapshot of stage ${engineer.checkpoint.stage}`;
  switch (by) {
    case 'engineer':
      return `decided by ${who ?? 'an engineer'}${snapshot}${asks}`;
    case 'human':
      return `decided by a person, ${who ?? 'who is not named'}`;
    case 'initial':
      return 'given, not decided: the run started with this configuration';
    case 'kept':
      return `kept from stage ${stage - 1}${who === null ? '' : ` after asking ${who}`}`;
    case 'errored':
      return `errored, asking ${who ?? 'its engineer'}: the configuration of stage ${stage - 1} stayed`;
    default:
      return proposal === null ? 'nobody recorded who decided' : `proposed by ${who ?? 'an engineer'}, and not adopted`;
  }
}

function momentText(at: string | null): string {
  return at === null ? '' : `, ${at.slice(0, 16).replace('T', ' ')}`;
}

function noContext({ decision: { by } }: Why): readonly Text[] {
  return by === 'engineer' || by === 'human' ? [dim('nothing was shown that could be cited')] : [];
}

function contextLine({ form, digest, evidenceIds, isKnown }: NonNullable<Why['decision']['context']>): Text {
  const what = `shown ${form === null ? '' : `${form}, `}context ${shortDigest(digest)}`;
  if (!isKnown) return warned(`${what}: it is not here, or cannot be read`);
  return dim(`${what}: ${counted(evidenceIds, 'evidence id')} to cite`);
}

function thenText(effect: WhyEffect | undefined): string {
  return effect === undefined ? '' : `validation ${courseText(effect.validation)}`;
}

function changesSection(why: Why, drawn: Drawn): Section {
  const { changes, turned, decision, asked } = why;
  const families = [...new Set(changes.map(({ family }) => family))];
  const branches = families.map((family) => familyBranch(why, family, drawn));
  if (turned === 0) return section(null, [lines([nothingTurned(decision.by)]), tree(branches)]);
  const knobs = asked === null ? counted(turned, 'knob') : `${changes.length} of ${counted(turned, 'knob')}`;
  return treeSection(changes.length === 0 ? null : `turned: ${knobs}`, branches);
}

function nothingTurned(by: Why['decision']['by']): string {
  return by === 'initial' ? 'there is nothing before it that could have changed' : 'no knob was turned';
}

/** A knob that is alone in its family stands for it. */
function familyBranch(why: Why, family: string | null, drawn: Drawn): Branch {
  const knobs = why.changes.filter((one) => one.family === family);
  const [first] = knobs;
  const then = thenBranches(why, family);
  if (knobs.length === 1 && first !== undefined) {
    const branch = changeBranch(first, why, drawn);
    return { ...branch, branches: [...branch.branches, ...then] };
  }
  return {
    lines: [bold(familyText(family))],
    branches: [...knobs.map((one) => changeBranch(one, why, drawn)), ...then],
  };
}

function familyText(family: string | null): string {
  return family === null ? 'all families' : `family ${family}`;
}

function changeBranch(change: WhyChange, why: Why, drawn: Drawn): Branch {
  return {
    lines: [bold(changeText(change)), ...clampLines(change), ...reasonLines(change, why.depth)],
    branches: reasonBranches(change, why, drawn),
  };
}

function changeText(change: WhyChange): string {
  const beside = [change.steps === null ? '' : stepsText(change.steps), change.makes ?? ''].filter(
    (word) => word !== '',
  );
  return `${change.knob} ${turnText(change)}${beside.length === 0 ? '' : ` (${beside.join(', ')})`}`;
}

function clampLines({ clamps }: WhyChange): readonly Text[] {
  return clamps.map(({ proposed, used, rule }) =>
    warned(`clamped: ${knobText(proposed)} was proposed, ${knobText(used)} is used (${rule})`),
  );
}

/** What the family did then; all that is known of it from depth 3 on. */
function thenBranches({ effects, depth }: Why, family: string | null): readonly Branch[] {
  const effect = effects.find((one) => one.family === family);
  if (effect === undefined) return [];
  const head = `then, ${familyText(family)}: ${thenText(effect)}`;
  const more = [`probe pool ${courseText(effect.probe)}`, `learning signal ${courseText(effect.signal)}`];
  return [{ lines: [head, ...(depth < 3 ? [] : more)], branches: [] }];
}

function unchangedText({ knob, value, last, next }: WhyUnchanged, stage: number): string {
  const later = next === null ? '' : `; it is turned next for stage ${next.stage}: ${turnText(next)}`;
  if (stage === 1) return `${knob} begins with ${knobText(value)}${later}`;
  const since =
    last === null ? 'as since the beginning' : `as since stage ${last.stage}, when it went ${turnText(last)}`;
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

/** The rollouts that were drawn already: each is drawn once. */
type Drawn = Set<string>;

function reasonLines({ says, cites, verdict, restsOn }: WhyReasons, depth: number): readonly Text[] {
  const isBare = cites === null || cites.length === 0;
  const toned = restsOn === 'its family' && verdict.startsWith('rests') ? dim : warned;
  const cited = isBare || depth > 2 ? verdict : `because ${cites.join(', ')}: ${verdict}`;
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
      ? [leaf(dim('none of the rollouts behind was shown'))]
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
  const words = [standsFor(evidence), now, concernText(evidence), missing].filter((word) => word !== '');
  const isSound = note === null && evidence.concerns !== 'another family' && evidence.counts !== false;
  const first = `${evidenceId.padEnd(width)}  ${words.join('; ')}`.trimEnd();
  const further = (text ?? '')
    .split('\n')
    .map((one) => one.trim())
    .filter((one) => one !== '');
  return { lines: [isSound ? first : warned(first), ...further], branches: [] };
}

/** A figure, or a rollout that is not shown at this depth. */
function standsFor({ evidenceId, figure, exemplars, family }: WhyEvidence): string {
  if (figure === null) return exemplars.includes(evidenceId) ? rolloutText(family) : '';
  return [subjectText(evidenceId, figure), figureText(figure)].filter((word) => word !== '').join(' ');
}

function rolloutText(family: string | null): string {
  return `a rollout${family === null ? '' : ` of family ${family}`}`;
}

/** Empty where it concerns what it is cited for. */
function concernText({ concerns, family, counts, module }: WhyEvidence): string {
  const whose = family === null ? 'of all families' : `of family ${family}`;
  const words = [
    ...(concerns === 'another family' ? [`${whose}, another one`] : concerns === 'in part' ? [whose] : []),
    ...(counts === false ? [`tells nothing of what the policy did${module === null ? '' : ` (${module})`}`] : []),
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
  const { evidenceId, family, class: failureClass, failures, rollout, stage } = exemplar;
  const own = evidence.find((one) => one.evidenceId === evidenceId);
  const step = failures[0]?.step ?? null;
  const how = `${failureClass ?? exemplar.outcome ?? 'it failed'}${step === null ? '' : ` in step ${step}`}`;
  const where = rollout.stream === null ? rollout.event : `${rollout.stream}@${rollout.revision}`;
  const when = stage === null ? '' : ` in stage ${stage}`;
  const whose = `${rolloutText(family)}${when}: ${how}`;
  const concern = own === undefined ? '' : concernText(own);
  return [whose, concern, `icecore event show ${where}`].filter((word) => word !== '').join('; ');
}

/** `6.3 % [1, 28], 2 of 32`; a mean as a number. */
function figureText({ value, count: times, of, low, high }: WhyFigure): string {
  if (typeof value !== 'number') return `none: ${value.reason}`;
  if (times === null || of === null) {
    const interval = low === null || high === null ? '' : ` [${threeDigits(low)}, ${threeDigits(high)}]`;
    return `${threeDigits(value)}${interval}`;
  }
  const interval = low === null || high === null ? '' : ` [${(100 * low).toFixed(0)}, ${(100 * high).toFixed(0)}]`;
  return `${percent(value)} %${interval}, ${count(times)} of ${count(of)}`;
}

/** What of it the evidence id does not say. */
function subjectText(evidenceId: string, { measure, about }: WhyFigure): string {
  return [measure, about ?? ''].filter((word) => word !== '' && !evidenceId.includes(word)).join(' ');
}

/** `40.0 [26, 55] → 90.0 [79, 96] %, +50.0 points, intervals apart`. */
function courseText({ before, after, overlap, missing }: WhyCourse): string {
  const [from, to] = [rateText(before), rateText(after)];
  if (missing !== null) return from === '' ? (to === '' ? missing : `${to} %; ${missing}`) : `${from} %; ${missing}`;
  const sure = overlap === null ? '' : overlap ? ', intervals overlap' : ', intervals apart';
  return `${from} → ${to} %, ${pointsText(before.value, after.value)} points${sure}`;
}
