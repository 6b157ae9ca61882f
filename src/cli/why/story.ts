// What is known of why a stage was set as it was, as an outline: who decided and on what, then knob by knob the reasons and
// what its family did, then what there is beside. Made from the value alone, so that whoever prints it says the same.
import type { Why, WhyChange, WhyEffect, WhyUnchanged } from '../../../schemas/why-output.ts';
import { counted, short } from '../output/quantity.ts';
import { alertText } from '../runs/alerts.ts';
import { shortDigest } from '../runs/digest.ts';
import { knobText, stepsText, turnText } from '../runs/figures.ts';
import { unknownLine } from '../runs/notes-text.ts';
import { courseText } from './figures.ts';
import { type Branch, type Line, leaf, line, type Outline, type Part, perhaps } from './outline.ts';
import { type Drawn, reasonBranches, reasonLines } from './reasons.ts';

export function storyOf(why: Why): Outline {
  const drawn: Drawn = new Set();
  return {
    title: `${why.name}@${why.stage}`,
    state: stateText(why),
    parts: [
      { title: '', lines: decisionLines(why), branches: [] },
      changesPart(why, drawn),
      part(
        'not turned',
        why.unchanged.map((one) => leaf(unchangedText(one, why.stage))),
      ),
      part('kept on purpose', keptBranches(why, drawn)),
      part('answers that could not be used', rejectionBranches(why)),
      part('errors that kept engineers from answering', errorBranches(why)),
      part('proposed and not adopted', passedOverBranches(why)),
      part(
        'alerts',
        why.alerts.map(({ stage, ...alert }) => leaf(`stage ${stage}: ${alertText(alert)}`, 'warning')),
      ),
      part('notes', why.notes.map(noteBranch)),
      part(
        'not known here',
        why.opaque.map((event) => leaf(unknownLine(event), 'warning')),
      ),
    ].filter(({ lines, branches }) => lines.length + branches.length > 0),
  };
}

function part(title: string, branches: readonly Branch[]): Part {
  return { title, lines: [], branches };
}

function stateText({ isBegun, isOver, isShared }: Why): string {
  const state = isOver ? 'over' : isBegun ? 'not over' : 'not begun';
  return `${state}${isShared ? ', shared history' : ''}`;
}

function decisionLines(why: Why): readonly Line[] {
  const { decision, name, stage } = why;
  const { says, context, recordedBy, adopted } = decision;
  const elsewhere =
    recordedBy === null || recordedBy === name ? '' : `, recorded by ${recordedBy}, whose history it shares`;
  const isBare = decision.by === null && adopted === null;
  return [
    line(`${whoText(why)}${momentText(decision.at)}${elsewhere}`, isBare ? 'warning' : 'plain'),
    ...perhaps(says === null ? null : `"${says}"`),
    ...(context === null ? noContext(why) : [contextLine(context)]),
    ...perhaps(scoresText(decision), 'quiet'),
    ...(stage === 1 || why.changes.some(({ family }) => family === null)
      ? []
      : [line(`then, all families: ${thenText(why.effects[0])}`)]),
  ];
}

/** Null where neither has a value. */
function scoresText({ citation, preservation }: Why['decision']): string | null {
  const named = [
    ['citation score', citation],
    ['preservation score', preservation],
  ] as const;
  const known = named.flatMap(([name, score]) =>
    score === null ? [] : [`${name} ${short(Number(score.toPrecision(3)))}`],
  );
  return known.length === 0 ? null : known.join(', ');
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
      return 'what the run began with: nobody was asked';
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

function noContext({ decision: { by } }: Why): readonly Line[] {
  return by === 'engineer' || by === 'human' ? [line('nothing was shown that could be cited', 'quiet')] : [];
}

function contextLine({ form, digest, evidenceIds, isKnown }: NonNullable<Why['decision']['context']>): Line {
  const what = `shown ${form === null ? '' : `${form}, `}context ${shortDigest(digest)}`;
  if (!isKnown) return line(`${what}: it is not here, or cannot be read`, 'warning');
  return line(`${what}: ${counted(evidenceIds, 'evidence id')} to cite`, 'quiet');
}

function thenText(effect: WhyEffect | undefined): string {
  return effect === undefined ? '' : `validation ${courseText(effect.validation)}`;
}

function changesPart(why: Why, drawn: Drawn): Part {
  const { changes, turned, decision, asked } = why;
  const families = [...new Set(changes.map(({ family }) => family))];
  const branches = families.map((family) => familyBranch(why, family, drawn));
  if (turned === 0) return { title: '', lines: [line(nothingTurned(decision.by))], branches };
  const count = asked === null ? counted(turned, 'knob') : `${changes.length} of ${counted(turned, 'knob')}`;
  return { title: changes.length === 0 ? '' : `turned: ${count}`, lines: [], branches };
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
    lines: [line(familyText(family), 'strong')],
    branches: [...knobs.map((one) => changeBranch(one, why, drawn)), ...then],
  };
}

function familyText(family: string | null): string {
  return family === null ? 'all families' : `family ${family}`;
}

function changeBranch(change: WhyChange, why: Why, drawn: Drawn): Branch {
  return {
    lines: [line(changeText(change), 'strong'), ...clampLines(change), ...reasonLines(change, why.depth)],
    branches: reasonBranches(change, why, drawn),
  };
}

function changeText(change: WhyChange): string {
  const beside = [change.steps === null ? '' : stepsText(change.steps), change.makes ?? ''].filter(
    (word) => word !== '',
  );
  return `${change.knob} ${turnText(change)}${beside.length === 0 ? '' : ` (${beside.join(', ')})`}`;
}

function clampLines({ clamps }: WhyChange): readonly Line[] {
  return clamps.map(({ proposed, used, rule }) =>
    line(`clamped: ${knobText(proposed)} was proposed, ${knobText(used)} is used (${rule})`, 'warning'),
  );
}

/** What the family did then; all that is known of it from depth 3 on. */
function thenBranches({ effects, depth }: Why, family: string | null): readonly Branch[] {
  const effect = effects.find((one) => one.family === family);
  if (effect === undefined) return [];
  const head = `then, ${familyText(family)}: ${thenText(effect)}`;
  const more = [line(`probe pool ${courseText(effect.probe)}`), line(`learning signal ${courseText(effect.signal)}`)];
  return [{ lines: [line(head), ...(depth < 3 ? [] : more)], branches: [] }];
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
    lines: [line(`${one.knob} ${knobText(one.value)}`, 'strong'), ...reasonLines(one, why.depth)],
    branches: reasonBranches(one, why, drawn),
  }));
}

function rejectionBranches({ rejections }: Why): readonly Branch[] {
  return rejections.map(({ event, engineer, reason, issues }) => ({
    lines: [
      line(`of ${engineer}, ${reason}; icecore event show ${event}`, 'warning'),
      ...issues.map(({ field, found, allowed }) => line(`${field}: found ${found}, allowed: ${allowed}`)),
    ],
    branches: [],
  }));
}

function errorBranches({ errors }: Why): readonly Branch[] {
  return errors.map(({ event, engineer, kind, message }) => ({
    lines: [line(`of ${engineer}, ${kind}; icecore event show ${event}`, 'warning'), line(message)],
    branches: [],
  }));
}

function passedOverBranches({ passedOver }: Why): readonly Branch[] {
  return passedOver.map(({ event, engineer, changes, says }) => ({
    lines: [
      line(`by ${engineer}: ${counted(changes, 'change')}; icecore event show ${event}`),
      ...perhaps(says === null ? null : `"${says}"`),
    ],
    branches: [],
  }));
}

function noteBranch({ actor, at, knob, says }: Why['notes'][number]): Branch {
  return leaf(`${actor}${momentText(at)}${knob === null ? '' : `, on ${knob}`}: ${says}`);
}
