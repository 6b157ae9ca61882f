// A run as a document: its settings, its stages in a table, what changed before each of them, alerts, benchmarks and notes.
import type { Decision, NoteRow, RunShown, StageRow, UnknownEvent } from '../../../schemas/run-output.ts';
import { amountsText, count, counted } from '../../base/quantity.ts';
import { shellLine } from '../../base/shell-word.ts';
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
import {
  alertText,
  knobText,
  percent,
  rateText,
  shortDigest,
  stepsText,
  threeDigits,
  turnText,
} from '../../document/figures.ts';
import { generic, moment } from '../../document/gist.ts';
import { importActor } from '../../producers/history/decisions.ts';
import { addUpToOne } from './failure-shares.ts';
import { modelCostsText } from './model-costs.ts';

/** `leftOut`: a sentence on what is not shown; empty where everything is. */
export function runDocument(run: RunShown, leftOut: string): Document {
  return {
    title: run.name,
    subtitle: stateText(run),
    blocks: [
      ...failureBlocks(run),
      facts([
        ['identity', run.run === run.name ? null : run.run],
        ...runFacts(run),
        ['cost of models', modelCostsText(run.modelCosts)],
        ['notes', run.asked.says],
      ]),
    ],
    sections: filled([
      section(null, stagesBlocks(run.stages)),
      section(null, decisionsBlocks(run)),
      alertsSection(run.stages),
      benchmarksSection(run),
      ...lastSections(run, leftOut),
    ]),
  };
}

/** The last sections of a run and of a stage. */
export function lastSections(
  { notes, opaque }: Pick<RunShown, 'notes' | 'opaque'>,
  leftOut: string,
): readonly Section[] {
  return [
    section(null, leftOut === '' ? [] : [paragraph(leftOut)]),
    section('notes', notes.length === 0 ? [] : [lines(notes.map(noteText))]),
    section('events of unknown types', opaque.length === 0 ? [] : [lines(opaque.map(unknownText))]),
  ];
}

/** `waiting for the training of stage 2`. */
export function waitingText({ for: what, stage }: NonNullable<RunShown['waiting']>): string {
  return what === 'training'
    ? `waiting for the training of stage ${stage}`
    : `waiting for a decision on stage ${stage}`;
}

function stateText({ state, holder, waiting, done, planned, stages, at }: RunShown): string {
  const shared = stages.filter(({ isShared }) => isShared).length;
  const words = [
    waiting !== null ? waitingText(waiting) : holder === null ? state : `${state} by ${holder}`,
    `${planned === null ? counted(done, 'stage') : `${count(done)} of ${counted(planned, 'stage')}`} done`,
    ...(shared === 0 ? [] : [`${count(shared)} of them shared with its parent`]),
    ...(at === null ? [] : [`started ${moment(at)}`]),
  ];
  return words.join(', ');
}

function failureBlocks({ failure }: RunShown): readonly Block[] {
  if (failure === null) return [];
  const step = failure.during === null ? '' : ` in the step ${failure.during}`;
  return [lines([`Failed${step} (${failure.reason}): ${failure.message}`])];
}

function stagesBlocks(stages: readonly StageRow[]): readonly Block[] {
  if (stages.length === 0) return [paragraph('No stage has begun.')];
  const strip = stripOf(stages.map(({ shares }) => shares));
  const columns: readonly ColumnOf<StageRow>[] = [
    { title: 'stage', align: 'right', cell: stageName },
    { title: 'mixture', mark: 'bars', cell: ({ shares }) => strip.of(shares) },
    { title: 'valid', align: 'right', cell: ({ valid }) => rateText(valid) },
    { title: 'optimal', align: 'right', cell: ({ optimal }) => rateText(optimal) },
    { title: 'signal', align: 'right', cell: ({ signal }) => percent(signal) },
    { title: failuresTitle(stages), cell: topFailures },
  ];
  return [table(stages, columns), ...legend(stages, strip.legend).map(note)];
}

/** Shares of what failed add up to 1, shares of all tries do not. */
function failuresTitle(stages: readonly StageRow[]): string {
  const known = stages.filter(({ failures }) => failures.length > 0);
  const areAll = known.length > 0 && known.every(({ failures }) => addUpToOne(failures.map(({ share }) => share)));
  return areAll ? 'failures, % of failed' : 'failures';
}

/** 0 of 32 attempts at 16 tasks may be 0 to 19 %. */
const alikeText =
  'Intervals count each task once, however often it was attempted: attempts at the same task are not independent.';

function legend(stages: readonly StageRow[], mix: string | null): readonly string[] {
  const measures = measuresIn(stages);
  return [
    ...(measures === '' ? [] : [`${measures}: % of the validation suite, with 95 % intervals. ${alikeText}`]),
    ...(stages.some(({ signal }) => signal !== null) ? ['signal: % of sample groups whose rewards differ.'] : []),
    ...(mix === null ? [] : [mix]),
    ...stages.flatMap(({ stage, unjudged }) =>
      unjudged === null || unjudged === 0
        ? []
        : [`stage ${stage}: ${counted(unjudged, 'rollout')} of the validation suite could not be judged.`],
    ),
    ...(stages.some(({ isOver }) => !isOver) ? ['…: stage not begun or not complete.'] : []),
  ];
}

/** `valid, optimal`: those that are known. */
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

export function alertsSection(
  stages: readonly Pick<StageRow, 'stage' | 'alerts' | 'overspent' | 'changedPrograms'>[],
): Section {
  const all = stages.flatMap(({ stage, alerts, overspent, changedPrograms }) =>
    [...changedPrograms.map(changedProgramText), ...overspent.map(overspentText), ...alerts.map(alertText)].map(
      (text) => `stage ${stage}: ${text}`,
    ),
  );
  return section('alerts', all.length === 0 ? [] : [lines(all)]);
}

export function changedProgramText({ file, since }: StageRow['changedPrograms'][number]): string {
  return `${file} differs from that of stage ${since}`;
}

export function overspentText({ unit, budget, spent }: StageRow['overspent'][number]): string {
  return `training took ${count(spent)} ${unit}, more than its budget of ${count(budget)}`;
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
  const title = `Benchmarks, ${measuresIn(benchmarks, ' / ') || 'valid'} in %; engineers never see them`;
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

/** An event of a type that is not known here, and the beginning of its data. */
export function unknownText({ type, version, stream, revision, data }: UnknownEvent): string {
  const content = generic(data);
  return `${type} version ${version}, ${stream}@${revision}${content === '' ? '' : `: ${content}`}`;
}

const fewChanges = 3;

/** Who decided, what changed, what was clamped, rejected or errored; empty where nothing is known of it. */
function decisionLine(decision: Decision): string {
  const { changes, clamps, rejections, errors, by } = decision;
  const who = whoText(decision);
  if (who === '' && changes.length === 0) return '';
  const first = changes.slice(0, fewChanges).map((one) => `${one.knob} ${turnText(one)}`);
  const rest = changes.length > fewChanges ? [`${changes.length - fewChanges} more`] : [];
  const what = changes.length === 0 ? 'no change' : [...first, ...rest].join(', ');
  const clamped = clamps.length === 0 ? [] : [clampsText(clamps)];
  const rejected = rejections.map((one) => rejectionText(one, by === 'kept' && rejections.length === 1));
  const errored = errors.map(({ kind, message }) => `${kind}, ${message}`);
  return `${who === '' ? '' : `${who}: `}${[what, ...clamped, ...rejected, ...errored].join('; ')}`;
}

const imported = 'imported';

/** A person by their name. Imported records do not name who decided. */
export function personText(who: string | null): string {
  return who === importActor ? imported : (who ?? 'a person');
}

/** The person, and whose proposal they adopted. */
export function personDecidingText({
  who,
  proposedBy,
  edited,
  ownReasons,
}: Pick<Decision, 'who' | 'proposedBy' | 'edited' | 'ownReasons'>): string {
  if (proposedBy === null) return personText(who);
  return `${personText(who)} (proposal of ${proposedBy}, ${editedText({ edited, ownReasons })})`;
}

/** What became of the adopted proposal: `unchanged`, `2 knobs edited, own reasons for 1 knob`. */
export function editedText({ edited, ownReasons }: Pick<Decision, 'edited' | 'ownReasons'>): string {
  const own = ownReasons?.length ?? 0;
  if (edited === null && own === 0) return 'unchanged';
  const values =
    edited === null ? 'values unchanged' : edited.length === 0 ? 'edited' : `${counted(edited.length, 'knob')} edited`;
  return own === 0 ? values : `${values}, own reasons for ${counted(own, 'knob')}`;
}

/** Nobody decided yet: what is shown is what an engineer proposed when a person asked. */
export function isOnlyProposed({ by, adopted, proposal }: Pick<Decision, 'by' | 'adopted' | 'proposal'>): boolean {
  return by === null && adopted === null && proposal !== null;
}

export function proposedByText(who: string): string {
  return `proposed by ${who}, not adopted`;
}

export function decidedByText(who: string): string {
  return who === imported ? imported : `decided by ${who}`;
}

function whoText(decision: Decision): string {
  const { by, who } = decision;
  if (by === 'kept') return who === null ? 'configuration kept' : `configuration kept after the answer of ${who}`;
  if (by === 'errored') return `${who ?? 'the engineer'} errored`;
  if (by === 'initial') return 'the initial configuration';
  if (who !== null && isOnlyProposed(decision)) return proposedByText(who);
  return by === 'human' ? personDecidingText(decision) : (who ?? '');
}

function clampsText(clamps: Decision['clamps']): string {
  const [first] = clamps;
  if (first === undefined) return '';
  const one = `${first.knob} ${knobText(first.proposed)} → ${knobText(first.used)}, ${first.rule}`;
  return `${counted(clamps.length, 'clamp')} (${one}${clamps.length > 1 ? ', …' : ''})`;
}

type Clamp = Decision['clamps'][number];

export function clampText({ knob, ...clamp }: Clamp): string {
  return `${knob} ${clampedText(clamp)}`;
}

export function clampedText({ proposed, used, rule }: Pick<Clamp, 'proposed' | 'used' | 'rule'>): string {
  return `clamped: ${knobText(proposed)} was proposed, ${knobText(used)} is used (${rule})`;
}

function rejectionText({ engineer, reason, issues }: Decision['rejections'][number], isOnlyOne: boolean): string {
  const [issue] = issues;
  const whose = isOnlyOne ? 'its answer' : `an answer of ${engineer}`;
  const rest = issues.length > 1 ? ` and ${counted(issues.length - 1, 'more issue')}` : '';
  const why = issue === undefined ? '' : `, ${issue.field}: found ${issue.found}, allowed: ${issue.allowed}${rest}`;
  return `${whose} was rejected as ${reason}${why}`;
}

/** Each change with its reason and what it cites, what was kept, clamped and rejected, and what was predicted. */
export function decisionSections(decision: Decision): readonly Section[] {
  const { changes, rejections, errors, predictions } = decision;
  const who = whoText(decision);
  if (who === '' && changes.length + rejections.length + errors.length === 0) return [];
  const title =
    decision.by === 'errored' || decision.by === 'kept'
      ? who
      : who === ''
        ? 'no decision is recorded'
        : isOnlyProposed(decision)
          ? who
          : decidedByText(who);
  const blocks: readonly Block[] = [
    lines(decisionLines(decision)),
    ...(predictions === null || predictions.length === 0 ? [] : [predictionsTable(predictions, decision.stage)]),
  ];
  return [section(title, blocks)];
}

function decisionLines(decision: Decision): readonly string[] {
  const { stage, changes, kept, clamps, rationale, rejections, errors, context, proposal, scores } = decision;
  return [
    ...(rationale === null ? [] : [`"${rationale}"`]),
    ...changes.map((one) => {
      const steps = one.steps === null ? '' : ` (${stepsText(one.steps)})`;
      return `${one.knob} ${turnText(one)}${steps}${reasonText(one)}`;
    }),
    ...(changes.length === 0 && stage > 1 ? ['no change'] : []),
    ...(kept ?? []).map((one) => `${one.knob} kept${reasonText(one)}`),
    ...clamps.map(clampText),
    ...rejections.flatMap(({ event, engineer, reason, issues }) => [
      `an answer of ${engineer} was rejected as ${reason}: icecore event show ${event}`,
      ...issues.map(({ field, found, allowed }) => `  ${field}: found ${found}, allowed: ${allowed}`),
    ]),
    ...errors.flatMap(({ event, engineer, kind, message }) => [
      `${engineer} errored, ${kind}: icecore event show ${event}`,
      `  ${message}`,
    ]),
    ...(context === null
      ? []
      : [`shown: ${context.form === null ? '' : `${context.form}, `}context ${shortDigest(context.digest)}`]),
    ...(proposal === null ? [] : [`proposal: ${proposal}`]),
    ...(scores === null ? [] : [scoresText(scores)]),
  ];
}

/** An engineer that gives no evidence is reported as such. */
function reasonText({ cites, reason }: Pick<Decision['changes'][number], 'cites' | 'reason'>): string {
  const cited = cites === null || cites.length === 0 ? 'no evidence cited' : `cites ${cites.join(', ')}`;
  return `, ${cited}${reason === null ? '' : `: ${reason}`}`;
}

function scoresText({
  citation,
  preservation,
  usable,
  brier,
  rankCorrelation,
}: NonNullable<Decision['scores']>): string {
  const named = { 'citation score': citation, preservation, usable, brier, 'rank correlation': rankCorrelation };
  const known = Object.entries(named).flatMap(([name, value]) =>
    value === null ? [] : [`${name} ${threeDigits(value)}`],
  );
  return `scores: ${known.length === 0 ? 'none' : known.join(', ')}`;
}

function predictionsTable(predictions: NonNullable<Decision['predictions']>, stage: number): Block {
  return table(predictions, [
    { title: 'family', cell: ({ family }) => family },
    { title: 'measure', cell: ({ measure }) => measure },
    { title: 'predicted', align: 'right', cell: ({ predicted }) => percent(predicted) },
    { title: `measured after stage ${stage - 1}`, align: 'right', cell: ({ came }) => rateText(came) },
    { title: 'split', cell: ({ split }) => split ?? '' },
  ]);
}

type Settings = RunShown['asked'];

type Fact = readonly [name: string, text: string];

export function runFacts({ asked, parent, tags }: Pick<RunShown, 'asked' | 'parent' | 'tags'>): readonly Fact[] {
  const { environment, engineer, form, policy, trainer, programs, budget, seed, suites, unrecorded, code } = asked;
  const rows: readonly (readonly [string, string | null])[] = [
    ['environment', componentText(environment)],
    ['engineer', engineer === null ? null : engineerText(engineer)],
    ['context', form === null ? null : formText(form)],
    ['policy', policyText(policy)],
    ['trainer', componentText(trainer)],
    ...programs.map(({ role, command }) => [`${role} program`, shellLine(command)] as const),
    ['budget', budget === null ? null : `${amountsText(budget)} per stage`],
    ['seed', seed === null ? null : String(seed)],
    ['suites', suites === null || suites.length === 0 ? null : suites.join(', ')],
    ['rollouts', unrecorded],
    ['parent', parent === null ? null : parentText(parent)],
    ['code', code === null ? null : codeText(code)],
    ['source', asked.source],
    ['tags', tags.length === 0 ? null : tags.join(', ')],
  ];
  return rows.flatMap(([name, text]) => (text === null ? [] : [[name, text] as const]));
}

/** The word that it was chosen by is worth a mention if it is not its name, as for a checkpoint. */
function policyText(policy: Settings['policy']): string | null {
  const { from, ...others } = policy?.parameters ?? {};
  return componentText(policy !== null && from === policy.name ? { ...policy, parameters: others } : policy);
}

function componentText(component: Settings['policy']): string | null {
  if (component === null) return null;
  const { name, version, parameters = {} } = component;
  const simple = Object.entries(parameters).filter(([, value]) =>
    ['number', 'string', 'boolean'].includes(typeof value),
  );
  const settings = simple.length === 0 ? '' : ` (${simple.map(([key, value]) => `${key} ${value}`).join(', ')})`;
  return `${name}${version === undefined ? '' : ` ${version}`}${settings}`;
}

function engineerText(engineer: NonNullable<Settings['engineer']>): string {
  const { model, reads } = engineer;
  const asks = model === undefined ? '' : `, model ${model}`;
  const sees = reads === undefined ? '' : reads.length === 0 ? ', reads no context' : `, reads ${reads.join(', ')}`;
  return `${componentText({ ...engineer })}${asks}${sees}`;
}

function formText({ name, modules }: NonNullable<Settings['form']>): string {
  return name === null ? modules.join(' ') : `${name}: ${modules.join(' ')}`;
}

function parentText({ run, name, stage, isThere }: NonNullable<RunShown['parent']>): string {
  const identity = run === name ? '' : ` (${run})`;
  const shared = stage === 1 ? 'stage 1' : `stages 1 to ${stage}`;
  return `${name}${identity}, shares ${shared}${isThere ? '' : ': its history is not in this ledger'}`;
}

function codeText({ version, commit, modified }: NonNullable<Settings['code']>): string {
  return `icecore ${version}${commit === null ? '' : ` at ${commit.slice(0, 12)}`}${modified === true ? ', modified' : ''}`;
}
