// A run and a stage in a screenful: what came of them first, then one table. `runDocument` and `stageDocument` have the rest.
import type { Decision, RunShown, StageRow, StageShown } from '../../../schemas/run-output.ts';
import { joinWithAnd } from '../../base/name-lists.ts';
import { count, counted } from '../../base/quantity.ts';
import { shellWord } from '../../base/shell-word.ts';
import { truncateText } from '../../base/terminal.ts';
import { stripOf } from '../../document/curve.ts';
import {
  type Block,
  type ColumnOf,
  type Document,
  filled,
  lines,
  note,
  right,
  section,
  table,
  warning,
} from '../../document/document.ts';
import {
  alertText,
  knobText,
  shortTurnText,
  threeDigits,
  wholeCourse,
  wholePercent,
  wholeRate,
} from '../../document/figures.ts';
import { wordOf } from '../../producers/history/configurations.ts';
import { areOfFailures } from './failure-shares.ts';
import {
  changedProgramText,
  decidedByText,
  isOnlyProposed,
  overspentText,
  personDecidingText,
  personText,
  proposedByText,
  waitingText,
} from './run-document.ts';
import { unrecordedAdvice } from './settings.ts';

/** `leftOut`: a sentence on what is not shown; empty where everything is. */
export function runAnswer(run: RunShown, leftOut: string): Document {
  const shown = stagesShown(run.stages);
  return {
    title: `${run.name}: ${runText(run)}`,
    blocks: failureBlocks(run),
    sections: filled([
      section(null, stagesBlocks(shown, run)),
      section(null, remarks(run.stages, { ...run, leftOut })),
    ]),
  };
}

/** `done 3/3, valid 24 → 77 %, lake, checkpoint with context combined, seed 1`. */
function runText(run: RunShown): string {
  const { environment, engineer, form, asked, parent } = run;
  const [first, last] = [
    run.stages.find(({ valid }) => valid.value !== null),
    run.stages.findLast(({ valid }) => valid.value !== null),
  ];
  const from = first === last ? null : (first?.valid.value ?? null);
  const course = wholeCourse(from, last?.valid.value ?? null);
  const readsNothing = asked.engineer?.reads?.length === 0;
  const parts = [
    stateText(run),
    course === '' ? null : `valid ${course}`,
    environment,
    engineer === null ? null : `${engineer}${form === null || readsNothing ? '' : ` with context ${form}`}`,
    asked.seed === null ? null : `seed ${asked.seed}`,
    parent === null ? null : `fork of ${parent.name}@${parent.stage + 1}`,
  ];
  return parts.filter((part) => part !== null).join(', ');
}

function stateText({ state, holder, waiting, done, planned }: RunShown): string {
  const stages = planned === null ? counted(done, 'stage') : `${count(done)}/${count(planned)}`;
  if (waiting !== null) return `${waitingText(waiting)}, done ${stages}`;
  const by = holder === null ? '' : ` by ${holder}`;
  return `${state === 'completed' ? 'done' : state}${by} ${stages}`;
}

function failureBlocks({ failure }: RunShown): readonly Block[] {
  if (failure === null) return [];
  const step = failure.during === null ? '' : ` in the step ${failure.during}`;
  return [warning(`Failed${step}: ${failure.message}`)];
}

const validLegend = 'valid: success rate on validation, with 95 % intervals.';

/** A screen has room for the first stage and the last ones. */
const mostStages = 12;

function stagesShown(stages: readonly StageRow[]): readonly StageRow[] {
  return stages.length <= mostStages ? stages : [...stages.slice(0, 1), ...stages.slice(1 - mostStages)];
}

function stagesBlocks(shown: readonly StageRow[], { stages, next }: RunShown): readonly Block[] {
  if (stages.length === 0) return [note('No stage has begun.')];
  const strip = stripOf(stages.map(({ shares }) => shares));
  const rows = [
    ...shown.map((stage) => ({ stage, decision: stage.decision })),
    ...(next === null ? [] : [{ stage: null, decision: next }]),
  ];
  const columns: readonly ColumnOf<(typeof rows)[number]>[] = [
    right('stage', ({ stage, decision }) => (stage?.isOver === true ? '' : '…') + String(decision.stage)),
    { title: 'mixture', mark: 'bars', cell: ({ stage }) => (stage === null ? '' : strip.of(stage.shares)) },
    right('valid %', ({ stage }) => (stage === null ? '' : wholeRate(stage.valid))),
    { title: 'main change', cell: ({ decision }) => mainChange(decision) },
  ];
  const between = stages.length - shown.length;
  const legend = [
    ...(shown.some(({ valid }) => valid.low !== null) ? [validLegend] : []),
    ...(strip.legend === null ? [] : [strip.legend]),
    ...(rows.some(({ stage }) => stage?.isOver !== true) ? ['…: stage not begun or not complete.'] : []),
    ...(between === 0 ? [] : [`${counted(between, 'stage')} after the first not shown; --verbose shows all.`]),
  ];
  return [table(rows, columns), ...(legend.length === 0 ? [] : [note(legend.join(' '))])];
}

const longestReason = 60;

/** Who decided, the largest change, and how many more there are. */
function mainChange(decision: Decision): string {
  const { stage, by, who, changes, rejections, errors } = decision;
  const [first, ...others] = changes;
  const change = first === undefined ? '' : `${first.knob} ${shortTurnText(first)}`;
  const more = others.length === 0 ? '' : ` and ${others.length} more`;
  const named = by === 'human' ? personText(who) : who;
  const decider = named === null ? '' : `${isOnlyProposed(decision) ? proposedByText(named) : named}: `;
  switch (by) {
    case 'initial':
      return 'initial configuration';
    case 'kept':
      return `configuration kept${rejections.length === 0 ? '' : `: the answer of ${who ?? 'its engineer'} was rejected`}`;
    case 'errored':
      return `configuration kept: ${who ?? 'its engineer'} errored, ${truncateText(errors[0]?.message ?? '', longestReason)}`;
    default:
      return change === '' ? (stage === 1 ? '' : `${decider}no change`) : `${decider}${change}${more}`;
  }
}

type Beside = Pick<RunShown, 'notes' | 'opaque'> & {
  readonly leftOut: string;
  readonly asked?: Pick<RunShown['asked'], 'unrecorded' | 'trainer' | 'programs'>;
};

const mostAlerts = 2;

/** What a reader must not miss: alerts, what is not recorded, and how much more there is. */
function remarks(
  stages: readonly Pick<StageRow, 'stage' | 'alerts' | 'overspent' | 'unjudged' | 'changedPrograms'>[],
  { notes, opaque, leftOut, asked }: Beside,
): readonly Block[] {
  const alerts = stages.flatMap(({ stage, alerts: raised, overspent, unjudged, changedPrograms }) =>
    [
      ...changedPrograms.map(changedProgramText),
      ...overspent.map(overspentText),
      ...raised.map(alertText),
      ...(unjudged === null || unjudged === 0
        ? []
        : [`${counted(unjudged, 'rollout')} of the validation suite could not be judged`]),
    ].map((text) => `stage ${stage}: ${text}`),
  );
  const more = alerts.length - mostAlerts;
  const counts = [
    ...(notes.length === 0 ? [] : [counted(notes.length, 'note')]),
    ...(opaque.length === 0 ? [] : [`${counted(opaque.length, 'event')} of unknown types`]),
  ];
  return [
    ...alerts.slice(0, mostAlerts).map((text) => warning(`Alert: ${text}`)),
    ...(more > 0 ? [warning(`${counted(more, 'more alert')}: --verbose`)] : []),
    ...(asked?.unrecorded == null ? [] : [warning(asked.unrecorded), note(unrecordedAdvice(asked.unrecorded, asked))]),
    ...(leftOut === '' ? [] : [note(leftOut)]),
    ...(counts.length === 0 ? [] : [note(`${counts.join(' and ')}: --verbose`)]),
  ];
}

/** `leftOut`: a sentence on what is not shown; empty where everything is. */
export function stageAnswer(stage: StageShown, leftOut: string): Document {
  const { name, decision, isOver, isShared, valid, optimal } = stage;
  const rates = [
    ...(valid.value === null ? [] : [`valid ${wholeRate(valid)} %`]),
    ...(optimal.value === null ? [] : [`optimal ${wholePercent(optimal.value)} %`]),
  ];
  const state = `${isOver ? 'complete' : 'not complete'}${isShared ? ', shared history' : ''}`;
  return {
    title: `${name}@${stage.stage}: ${[state, ...rates].join(', ')}`,
    blocks: [lines(decisionLines(decision))],
    sections: filled([section(null, familyBlocks(stage)), section(null, remarks([stage], { ...stage, leftOut }))]),
  };
}

const longestRationale = 220;
const mostChanges = 4;

function decisionLines(decision: Decision): readonly string[] {
  const { by, changes, rationale, clamps } = decision;
  const named = changes.slice(0, mostChanges).map((one) => `${one.knob} ${shortTurnText(one)}`);
  const rest = changes.length > mostChanges ? ` and ${changes.length - mostChanges} more` : '';
  const who = by === 'human' ? personDecidingText(decision) : decision.who;
  const isChosen = by === 'engineer' || by === 'human' || by === null;
  const head = !isChosen
    ? mainChange(decision)
    : [
        who === null ? null : isOnlyProposed(decision) ? proposedByText(who) : decidedByText(who),
        changes.length === 0 ? 'no change' : `${named.join(', ')}${rest}`,
        clamps.length === 0 ? null : counted(clamps.length, 'clamp'),
      ]
        .filter((part) => part !== null)
        .join(': ');
  return [head, ...(rationale === null ? [] : [`"${truncateText(rationale, longestRationale)}"`])].filter(Boolean);
}

const mostFamilies = 12;
const mostWords = 4;

/** A row a family: its knobs, how often the policy succeeded, and how it fails most often. */
function familyBlocks(stage: StageShown): readonly Block[] {
  const { knobs, evaluations, failuresByFamily, decision } = stage;
  const results = evaluations.find(({ split }) => split === 'validation')?.results ?? [];
  const families = [
    ...new Set([
      ...knobs.flatMap(({ family }) => family ?? []),
      ...results.flatMap(({ family }) => family ?? []),
      ...failuresByFamily.flatMap(({ family }) => family ?? []),
    ]),
  ];
  const ofFamilies = knobs.filter(({ family }) => family !== null);
  const changed = new Set(decision.changes.map(({ knob }) => knob));
  const all = [...new Set(ofFamilies.map(wordOf))];
  const isChanged = (word: string): boolean => ofFamilies.some((one) => wordOf(one) === word && changed.has(one.knob));
  // In their own order, but those that changed rather than others.
  const shown = new Set([...new Set([...all.filter(isChanged), ...all])].slice(0, mostWords));
  const words = all.filter((word) => shown.has(word));
  const columns: readonly ColumnOf<string>[] = [
    { title: 'family', cell: (family) => family },
    ...words.map((word) =>
      right<string>(word, (family) => {
        const found = knobs.find((one) => one.family === family && wordOf(one) === word);
        return found === undefined ? '' : threeDigits(found.value);
      }),
    ),
    right('valid %', (family) => {
      const found = results.find((one) => one.family === family && one.measure === 'valid');
      return found === undefined ? '' : wholeRate(found);
    }),
    {
      title: 'failures',
      cell: (family) => failuresText(failuresByFamily.filter((one) => one.family === family)),
    },
  ];
  const common = knobs.filter(({ family }) => family === null).slice(0, mostWords);
  const rest = families.length - mostFamilies;
  return [
    ...(families.length === 0 ? [] : [table(families.slice(0, mostFamilies), columns)]),
    ...familyLegend(stage, results.length > 0, words),
    ...(rest > 0 ? [note(`${counted(rest, 'more family', 'more families')}: --verbose`)] : []),
    ...(all.length > words.length
      ? [note(`${counted(all.length - words.length, 'more knob')} of each family: --verbose`)]
      : []),
    ...(common.length === 0
      ? []
      : [note(`All families: ${common.map(({ knob, value }) => `${knob} ${knobText(value)}`).join(', ')}.`)]),
  ];
}

const mostClasses = 2;

function familyLegend(
  { name, stage, failuresFrom, failuresByFamily }: StageShown,
  hasRates: boolean,
  words: readonly string[],
): readonly Block[] {
  const context = `icecore context ${shellWord(`${name}@${Math.max(2, stage)}`)}`;
  const texts = [
    ...(words.length === 0
      ? []
      : [`${joinWithAnd(words)}: ${words.length === 1 ? 'a knob' : 'knobs'}, explained by ${context}.`]),
    ...(hasRates ? [validLegend] : []),
    ...(failuresByFamily.length === 0 || failuresFrom === null
      ? []
      : [
          `failures: the most common classes, in % of ${areOfFailures(failuresByFamily) ? 'the failures' : 'all rollouts'} on ${failuresFrom}.`,
        ]),
  ];
  return texts.length === 0 ? [] : [note(texts.join(' '))];
}

function failuresText(own: StageShown['failuresByFamily']): string {
  return own
    .slice(0, mostClasses)
    .map(({ class: name, count: times, of }) =>
      times === null || of === null || of === 0 ? name : `${name} ${wholePercent(times / of)}`,
    )
    .join(', ');
}
