// What an ablation would do: how many decisions, questions to models and trainings, about how long it takes and what it costs,
// and which differences its seeds can find. Nothing is asked, trained or written for it.
import type { AblatedArm, AblationPlan, SeedsPlan } from '../../../schemas/ablation-output.ts';
import { canUseNothing } from '../../../schemas/arm-names.ts';
import type { EventData } from '../../../schemas/catalogue.ts';
import { nameIn } from '../../../schemas/run-file.ts';
import { streamOf } from '../../../schemas/streams.ts';
import { type Amounts, counted, totalOf } from '../../base/quantity.ts';
import type { ModelEntry } from '../../lab/models/entries.ts';
import { outputLimit } from '../../lab/models/spending.ts';
import { correction } from '../../lab/statistics/distributions.ts';
import { effectFound, unitsNeeded, usualPower } from '../../lab/statistics/power.ts';
import { alphaOf, fewestPairs } from '../../lab/statistics/significance.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { type Design, replayedIn, type Task, tasksOf } from '../../producers/ablation/design.ts';
import type { AblationRecord } from '../../producers/ablation/record.ts';
import { type Repeated, repeatedIn } from '../../producers/ablation/repeat.ts';
import { decidedAt, suitesOf, trainedAt } from '../../producers/ablation/train.ts';
import { modelAsked } from '../../producers/engineers/engineers.ts';
import { armOf, contrastsAmong, declaredContrasts, earlierSnapshots, testedBy } from './conclude.ts';
import { familiesOf } from './statistics/compared.ts';
import { isNullByConstruction } from './statistics/material.ts';
import { median } from './statistics/results.ts';
import { measuresAt } from './values.ts';

export interface Planning {
  readonly ledger: Ledger;
  readonly design: Design;
  readonly record: AblationRecord;
  readonly entries: ReadonlyMap<string, ModelEntry>;
  /** Whether the user declared contrasts. */
  readonly isDeclared: boolean;
}

export async function planned(planning: Planning): Promise<AblationPlan> {
  const { ledger, design, record, isDeclared } = planning;
  const { depth, histories, arms, options, declared } = design;
  const tasks = tasksOf(design);
  const isTrained = depth === 'train';
  const trained = isTrained ? tasks.filter((task) => !record.trainings.has(trainedAt(task))) : [];
  const stagesOf = (task: Task): number => replayedIn(design, task.unit).settings.stages - task.stage;
  const left = tasks.filter((task) => !isDecided(record, task));
  // An arm that goes on decides after every stage but the last.
  const asked = left
    .filter((task) => modelOf(task, planning) !== null)
    .flatMap((task) => Array.from({ length: depth === 'run' ? stagesOf(task) : 1 }, () => task));
  const gone = depth === 'run' ? left.filter(({ arm }) => arm.engineer !== null) : [];
  const toTrain = [...trained, ...gone.flatMap((task) => Array.from({ length: stagesOf(task) }, () => task))];
  const repeats = depth === 'propose' ? [] : repeatedIn(planning).filter((one) => !isRepeated(record, one));
  const evaluations =
    trained.reduce((sum, task) => sum + suitesOf(design, task).length, 0) +
    gone.reduce((sum, task) => sum + stagesOf(task) * suitesOf(design, task).length, 0);
  const workOf = async ({ run }: (typeof histories)[number]): Promise<TrainingWork> => ({
    took: await durationsOf(ledger, run),
    trainings: toTrain.filter((task) => replayedIn(design, task.unit).run === run).length,
    repeats: repeats.filter(({ replayed }) => replayed.run === run).length,
  });
  const seeds = await seedsPlanned(ledger, design);
  return {
    ledger: ledger.url,
    ablation: design.ablation,
    state: record.completed !== null ? 'completed' : record.started === null ? 'new' : 'under-way',
    depth,
    histories: histories.map(({ run, name, stages, settings }) => ({
      run,
      name,
      decisions: stages.map((stage) => stage + 1),
      seed: settings.seed,
    })),
    units: [...options.units],
    arms: armsOf(arms),
    primary: primaryOf(declared),
    contrasts: [...declared],
    declared: isDeclared,
    decisions: tasks.length,
    done: tasks.filter((task) => isDecided(record, task)).length,
    questions: asked.length,
    trainings: toTrain.length,
    repeats: repeats.length,
    evaluations,
    seconds: secondsOf(await Promise.all(histories.map(workOf)), design.budget),
    cost: costOf(asked, planning),
    seeds,
    notes: [...warningsOn(design, seeds), ...notesOn(planning, repeats.length)],
  };
}

function armsOf(arms: Design['arms']): AblatedArm[] {
  return arms.map(({ arm, identity: engineer, form: contextForm, baseline, notApplicable, without }) =>
    armOf({ arm, engineer, contextForm, baseline, notApplicable: [...notApplicable], without: [...without] }),
  );
}

function primaryOf(declared: Design['declared']): AblationPlan['primary'] {
  const first = declared.find(({ factor }) => factor === null);
  if (first === undefined) return null;
  const { arm, reference, measure, better } = first;
  return { arm, reference, measure, better };
}

function isDecided({ proposals, rejections }: AblationRecord, task: Task): boolean {
  const key = decidedAt(task);
  return proposals.has(key) || rejections.has(key);
}

function isRepeated({ trainings }: AblationRecord, { replayed, stage }: Repeated): boolean {
  return [...trainings.values()].some(
    ({ run, place, data }) => run === replayed.run && place.stage === stage && data.reproduces !== undefined,
  );
}

function modelOf({ arm: { engineer } }: Task, { entries }: Planning): ModelEntry | null {
  return modelAsked(engineer, entries);
}

/** What is trained for one history, and how long that took in it. */
interface TrainingWork {
  readonly took: Durations;
  /** Trainings of arms, each of which is then measured. */
  readonly trainings: number;
  /** Recorded trainings that are repeated. */
  readonly repeats: number;
}

/** As long as in the histories, in proportion to the budget; null if nothing is trained or they do not say how long it took. */
export function secondsOf(works: readonly TrainingWork[], budget: Amounts | null): number | null {
  let seconds = 0;
  for (const { took, trainings, repeats } of works) {
    if (trainings + repeats === 0) continue;
    if (took.trained === null) return null;
    const whole = Object.values(took.budget)[0] ?? 1;
    const part = (Object.values(budget ?? {})[0] ?? whole) / whole;
    seconds += trainings * (took.trained * part + (took.measured ?? 0)) + repeats * took.trained;
  }
  return works.some(({ trainings, repeats }) => trainings + repeats > 0) ? Math.round(seconds) : null;
}

/** In seconds, on average over the stages of a run. */
interface Durations {
  readonly trained: number | null;
  /** Everything that is measured after a training. */
  readonly measured: number | null;
  readonly stages: number | null;
  readonly budget: Amounts;
}

export async function durationsOf(ledger: Ledger, run: string): Promise<Durations> {
  const trained: number[] = [];
  const measured: number[] = [];
  let last = 0;
  let started: EventData['RunStarted'] | null = null;
  for await (const events of ledger.read(streamOf.run(run))) {
    for (const { reading, envelope } of events) {
      const at = Date.parse(envelope.at);
      if (reading.known && reading.type === 'RunStarted') started = reading.data;
      if (reading.known && reading.type === 'TrainingRecorded') {
        const seconds = reading.data.measured?.['seconds'];
        if (typeof seconds === 'number') trained.push(seconds);
      }
      if (reading.known && reading.type === 'EvaluationRecorded') measured.push((at - last) / 1000);
      last = at;
    }
  }
  const mean = (values: readonly number[], of: number): number | null =>
    of === 0 ? null : values.reduce((sum, one) => sum + one, 0) / of;
  return {
    trained: mean(trained, trained.length),
    measured: mean(measured, trained.length),
    stages: started?.stages ?? null,
    budget: started?.budget ?? {},
  };
}

/** The number of tokens that an answer is taken to have, if its model allows that many. */
const usualAnswer = 1500;
const million = 1e6;

function costOf(asked: readonly Task[], planning: Planning): Record<string, number> {
  return totalOf(
    asked.map((task) => {
      const { prices = null, parameters = {} } = modelOf(task, planning) ?? {};
      if (prices === null) return {};
      const { contextTokens } = replayedIn(planning.design, task.unit).settings;
      const answer = Math.min(usualAnswer, outputLimit(parameters) ?? usualAnswer);
      return { [prices.currency]: (contextTokens * prices.input + answer * prices.output) / million };
    }),
  );
}

function notesOn({ design, entries, record }: Planning, repeats: number): string[] {
  const { depth, arms, units, histories } = design;
  const unpriced = arms.filter(
    ({ engineer }) => typeof engineer === 'string' && entries.get(engineer)?.prices === null,
  );
  return [
    ...(record.completed === null ? [] : ['It is complete, and nothing would be asked again.']),
    ...(unpriced.length === 0
      ? []
      : [`The cost of ${unpriced.map(({ arm }) => arm).join(', ')} is unknown: their models have no prices.`]),
    ...(repeats === 0 ? [] : ['The recorded trainings are repeated first and must give the same checkpoints.']),
    ...earlierSnapshots(
      arms.filter(({ engineer }) => engineer !== null).map(({ identity }) => identity.name),
      histories.flatMap(({ stages }) => stages),
    ),
    ...(depth !== 'propose' || units.length === histories.length
      ? []
      : [
          'Nothing is trained, so a seed matters only to engineers whose decisions depend on chance, such as models. An arm that decides the same with every seed of a run counts once for that run.',
        ]),
    ...(units.length > 1
      ? []
      : ['One seed cannot show how much is chance: add more with --seed, several runs or --tag.']),
  ];
}

/** In standard deviations of the pairs: from a difference that shows at once to one that hardly does. */
const effects = [2, 1.5, 1, 0.8, 0.5, 0.3];

async function seedsPlanned(ledger: Ledger, design: Design): Promise<SeedsPlan> {
  const alpha = alphaOf(design.level);
  const { deviation, headroom } = await earlierIn(ledger, design);
  const inUnits = (effect: number | null): number | null =>
    effect === null || deviation === null ? null : effect * deviation.value;
  const families = testedIn(design).filter(({ contrasts }) => contrasts > 0);
  const units = design.units.length;
  return {
    ...{ units, power: usualPower, alpha, deviation, headroom },
    families: families.map(({ family, contrasts, compared }) => {
      const finds = effectFound(units, { alpha: alpha / contrasts, power: usualPower });
      return { family, contrasts, compared, finds, findsBy: inUnits(finds), least: fewestPairs(alpha / contrasts) };
    }),
    needed: effects.map((effect) => ({
      effect,
      difference: inUnits(effect),
      units: families.map(({ contrasts }) => unitsNeeded({ effect, alpha: alpha / contrasts, power: usualPower })),
    })),
  };
}

type Tested = Pick<SeedsPlan['families'][number], 'family' | 'contrasts' | 'compared'>;

/** The contrasts of each family that are tested: nulls by construction are not. */
function testedIn({ arms, declared, depth, preset, options: { choice } }: Design): readonly Tested[] {
  const made = armsOf(arms);
  const factors = choice.kind === 'factorial' ? { factors: choice.factors } : {};
  const families = familiesOf({
    declared: declaredContrasts(declared, made),
    contrasts: contrastsAmong({ arms: made, declared, depth, preset, ...factors }),
  });
  const tested = (family: Tested['family'], contrasts: (typeof families)['declared']): Tested => {
    const compared = contrasts
      .filter((one) => !isNullByConstruction(one, made))
      .map(({ kind, arm, reference }) => ({ kind, arm, reference }));
    return { family, contrasts: compared.length, compared };
  };
  return [
    tested('declared', families.declared),
    tested('main-effects', families.mainEffects),
    tested('others', families.others),
  ];
}

/** What ablations of the same environment, as deep and by the same measure, have shown. */
interface Earlier {
  readonly deviation: SeedsPlan['deviation'];
  readonly headroom: SeedsPlan['headroom'];
}

async function earlierIn(ledger: Ledger, { ablation, depth, declared, histories }: Design): Promise<Earlier> {
  const tested = testedBy(declared) ?? measuresAt(depth)[0];
  const measure = tested?.measure;
  const environment = histories[0]?.history.started?.data.environment.name;
  const names = new Map<string, string>();
  const unused = new Set<string>();
  const found: { readonly of: string; readonly deviation: number }[] = [];
  let headroom: SeedsPlan['headroom'] = null;
  for await (const events of ledger.readAll({ types: ['AblationStarted', 'AblationCompleted'] })) {
    for (const { stream, reading } of events) {
      if (!reading.known) continue;
      const id = stream.slice('ablation-'.length);
      if (reading.type === 'AblationStarted' && id !== ablation) {
        const { data } = reading;
        if (data.depth === depth && data.environment?.name === environment) names.set(stream, data.name ?? id);
        for (const one of data.arms) if (canUseNothing(armOf(one))) unused.add(`${stream} ${one.arm}`);
      }
      const of = names.get(stream);
      if (reading.type !== 'AblationCompleted' || of === undefined) continue;
      for (const { effect, difference, units, factor, measure: by } of reading.data.contrasts) {
        if (by !== measure || factor !== undefined || units < 3) continue;
        if (typeof effect !== 'number' || typeof difference !== 'number' || effect === 0) continue;
        found.push({ of, deviation: correction(units - 1) * Math.abs(difference / effect) });
      }
      const results = reading.data.results.filter(({ arm }) => !unused.has(`${stream} ${arm}`));
      const gained = gainIn(results, measure, tested?.better === 'lower' ? -1 : 1);
      if (gained !== null && (headroom === null || gained.gain > headroom.gain)) headroom = { ...gained, ablation: of };
    }
  }
  const deviation = {
    value: median(found.map(({ deviation }) => deviation)),
    ablations: [...new Set(found.map(({ of }) => of))],
    contrasts: found.length,
  };
  return { deviation: found.length === 0 ? null : deviation, headroom };
}

/** The arm with the largest mean gain over uniform; null without uniform. */
function gainIn(
  results: EventData['AblationCompleted']['results'],
  measure: string | undefined,
  sign: 1 | -1,
): Omit<NonNullable<SeedsPlan['headroom']>, 'ablation'> | null {
  const means = results.flatMap(({ arm, measure: by, statistic, value }) =>
    by === measure && statistic === 'mean' && typeof value === 'number' ? [{ arm, value }] : [],
  );
  const usual = means.find(({ arm }) => arm === 'uniform');
  if (usual === undefined) return null;
  const best = means.reduce((most, one) => (sign * (one.value - most.value) > 0 ? one : most), usual);
  return { gain: sign * (best.value - usual.value), arm: best.arm, arms: means.length };
}

// Before anything is spent: what the seeds can find, against what there was to gain.

function warningsOn({ depth, histories, declared }: Design, { units, families, headroom }: SeedsPlan): string[] {
  if (depth === 'propose') return [];
  const environment = nameIn(histories[0]?.settings.environment ?? '');
  const blind = families.filter(({ finds }) => finds === null);
  const measured = `icecore lab headroom ${environment ?? 'ENVIRONMENT'}`;
  if (families.length > 0 && blind.length === families.length) {
    return [`Nothing can be found: with ${counted(units, 'seed')} no difference, however large, is significant.`];
  }
  if (headroom === null) return [`No earlier ablation shows what can be gained here: ${measured} measures it.`];
  const { arm, gain, ablation } = headroom;
  const measure = testedBy(declared)?.measure ?? measuresAt(depth)[0]?.measure;
  const isShare = measuresAt(depth).find((one) => one.measure === measure)?.is === 'share';
  const hopeless = families.filter(({ findsBy }) => findsBy !== null && findsBy > gain);
  const most = `in ${ablation} the best of ${headroom.arms} arms, ${arm}, gained ${gainText(gain, isShare)} over uniform`;
  return hopeless.length === 0
    ? []
    : [
        `Probably nothing can be found: ${most}, and these seeds find no difference as small. Try more seeds, another budget or another decision.`,
      ];
}

function gainText(gain: number, isShare: boolean): string {
  return isShare ? `${(100 * gain).toFixed(1)} points` : String(Number(gain.toPrecision(3)));
}
