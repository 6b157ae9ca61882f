// The replayed histories with all summaries that the arms need, and the context of each form, built and recorded once
// for all arms.

import { isDeepStrictEqual } from 'node:util';
import { getOrCreate } from '../../base/get-or-create.ts';
import type { ContextModules } from '../../lab/context-modules.ts';
import type { Model } from '../../lab/models/model.ts';
import type { Blobs } from '../../ledger/blobs/blobs.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { type BuiltContext, buildContext } from '../contexts/build.ts';
import { type Form, isModule, nameOfForm } from '../contexts/forms.ts';
import type { ContextInput } from '../contexts/module.ts';
import { type RunHistory, stageAt } from '../history/run-history.ts';
import type { EngineerQuestion } from '../proposals/asking.ts';
import { type TextOf, Texts } from '../recompute/summaries.ts';
import { idOf } from '../run/ids.ts';
import type { Surroundings } from '../run/opening.ts';
import { textReader } from '../run/question.ts';
import { stageIn } from '../run/session.ts';
import { isEvidenceModule } from '../summaries/modules.ts';
import { selfSummary } from '../summaries/self-summary.ts';
import { historyUntil } from './arm-history.ts';
import { type Arm, type Design, replayedIn, type Task, type Unit } from './design.ts';
import type { AblationJournal } from './journal.ts';
import type { Station } from './stations.ts';
import {
  ErasedText,
  NoDescriptor,
  SummaryMissing,
  type SummaryOptions,
  summedModules,
  withSummaries,
} from './summaries.ts';

interface Completing {
  readonly design: Design;
  readonly journal: AblationJournal;
  readonly ledger: Ledger;
  readonly blobs: () => Promise<Blobs>;
  readonly stationOf: (of: { readonly unit: Unit }) => Promise<Station>;
  readonly signal: AbortSignal;
  readonly surroundings: Pick<Surroundings, 'registry'>;
}

class Whole {
  readonly #of: Completing;
  readonly #made = new Map<number, Promise<RunHistory>>();

  constructor(of: Completing) {
    this.#of = of;
  }

  /** The history of a unit. A self-summary is missing if the policy is not a model. */
  async historyOf(unit: Unit): Promise<RunHistory> {
    return await getOrCreate(this.#made, unit.history, () => this.#completed(unit));
  }

  async #completed(unit: Unit): Promise<RunHistory> {
    const { design, journal, ledger, blobs, signal, stationOf } = this.#of;
    const { history, stages, run } = replayedIn(design, unit);
    const shown = design.arms.flatMap(({ form }) => form?.modules ?? []);
    // Scores depend on which families work, whether an arm is shown that or not.
    const asked = new Set([...shown, ...(shown.some(isEvidenceModule) ? scoredBy : [])]);
    if (summedModules.every((module) => !asked.has(module) || isSummedUp(history, stages, module))) return history;
    const { environment, learner } = await stationOf({ unit });
    const textOf = textReader(blobs);
    const idOfSummary = (stage: number, module: string): string =>
      idOf(design.ablation, { type: 'SummaryRecorded', stage, index: indexOf(unit, module) });
    const { model } = learner;
    const saying =
      (of: Model): NonNullable<SummaryOptions['said']> =>
      async (now, stage) => {
        const checkpoint = stageAt(now, stage)?.training?.data.checkpoint ?? null;
        const { contextTokens: budget } = replayedIn(design, unit).settings;
        return await selfSummary({ textOf, environment, history: now, stage, budget, signal, model: of, checkpoint });
      };
    const wanted = summedModules.filter((module) => asked.has(module) && (module !== 'self-summary' || model !== null));
    const { history: whole, added } = await withSummaries(
      history,
      stages.map((stage) => ({ stage, modules: wanted })),
      { ledger, signal, textOf, environment, idOf: idOfSummary, ...(model === null ? {} : { said: saying(model) }) },
    );
    for (const { stage, event } of added) {
      const index = indexOf(unit, event.data.module);
      const sealed = stageAt(history, stage)?.sealed?.id;
      const causes = sealed === undefined ? [] : [{ event: sealed }];
      await journal.append({
        ...{ type: 'SummaryRecorded', run, stage, index, actor: 'producer/summaries', causes },
        data: event.data,
      });
    }
    return whole;
  }
}

const scoredBy: readonly string[] = ['behaviour'];

function isSummedUp(history: RunHistory, stages: readonly number[], module: string): boolean {
  return stages.every((stage) => stageAt(history, stage)?.summaries.some(({ data }) => data.module === module));
}

function indexOf({ history }: Unit, module: string): number {
  return history * summedModules.length + summedModules.indexOf(module);
}

type Context = NonNullable<EngineerQuestion['context']>;

/** What is shown of a history: a form, possibly without some of its parts. */
type ShownForm = Pick<Arm, 'form' | 'without'>;

export class ContextBuilder {
  readonly #design: Design;
  readonly #journal: AblationJournal;
  readonly #blobs: () => Promise<Blobs>;
  readonly #whole: Whole;
  readonly #own: ContextModules;
  readonly #sights: readonly ShownForm[];
  readonly #shown = new Map<string, Promise<Context>>();

  constructor(of: Completing) {
    const { design, journal, blobs, surroundings } = of;
    this.#design = design;
    this.#journal = journal;
    this.#blobs = blobs;
    this.#whole = new Whole(of);
    this.#own = surroundings.registry.contextModules;
    this.#sights = sightsOf(design.arms);
  }

  /** With all summaries that arms are shown or scored by. */
  async historyOf(unit: Unit): Promise<RunHistory> {
    return await this.#whole.historyOf(unit);
  }

  /** Null for an arm without a context. Throws ContextTooSmall, SummaryMissing and ErasedText. */
  async to({ arm, unit, stage }: Task): Promise<Context | null> {
    const { form, without } = arm;
    if (form === null) return null;
    const sight = this.#sights.findIndex((one) => isDeepStrictEqual(one, { form, without }));
    const key = JSON.stringify([unit.history, stage, sight]);
    return await getOrCreate(this.#shown, key, () => this.#built({ arm, unit, stage }, sight));
  }

  async #built({ arm: { form, without }, unit, stage }: Task, sight: number): Promise<Context> {
    const { settings, run } = replayedIn(this.#design, unit);
    const history = await this.#whole.historyOf(unit);
    if (form === null) throw new Error('the arm has no context');
    const until = historyUntil(history, stage);
    requireSummed(until, stage, form);
    const sighted = { form, budget: settings.contextTokens, without: itemsIn(without), own: this.#own };
    const built = await contextFrom(until, stage, sighted, textReader(this.#blobs));
    const { recorded, shown } = built;
    const there = stageIn(history, stage).contexts.find(({ data }) => isSame(data, built));
    if (there !== undefined) return { event: there.id, recorded, shown };
    const index = unit.history * this.#sights.length + sight;
    const place = { type: 'ContextRecorded', stage, index } as const;
    const causes = stageIn(history, stage).summaries.map(({ id }) => ({ event: id }));
    await this.#journal.append({ ...place, run, actor: 'producer/contexts', causes, data: recorded });
    return { event: idOf(this.#design.ablation, place), recorded, shown };
  }
}

/**
 * The history up to the stage, with the summaries that the form needs. Throws ErasedText, NoDescriptor and errors of
 * the builder.
 */
export async function contextFrom(
  history: RunHistory,
  stage: number,
  {
    form,
    budget,
    without,
    own = new Map(),
  }: Required<Pick<ContextInput, 'form' | 'budget' | 'without'>> & Pick<ContextInput, 'own'>,
  textOf: TextOf,
): Promise<BuiltContext> {
  const texts = new Texts(textOf);
  const descriptor = history.started?.data.descriptor;
  if (descriptor === undefined) throw new NoDescriptor(history.run);
  const built = await buildContext({ descriptor, history, stage, form, budget, without, own, textOf: texts.of });
  if (texts.isLost) throw new ErasedText(history.run, stage, nameOfForm(form));
  return built;
}

/** The form no longer contains the left-out modules; items are still to be removed. */
function itemsIn(without: readonly string[]): readonly string[] {
  return without.filter((word) => !isModule(word));
}

/** A form with a missing part is not shown. */
function requireSummed(history: RunHistory, stage: number, { modules }: Form): void {
  const { summaries } = stageIn(history, stage);
  const missing = modules.find(
    (module) => summedModules.includes(module) && !summaries.some(({ data }) => data.module === module),
  );
  if (missing !== undefined) throw new SummaryMissing(history.run, stage, missing, 'the run did not record it');
}

function isSame(recorded: BuiltContext['recorded'], { recorded: built }: BuiltContext): boolean {
  return recorded.digest === built.digest && isDeepStrictEqual(recorded.contextForm, { ...built.contextForm });
}

function sightsOf(arms: readonly Arm[]): readonly ShownForm[] {
  const all: ShownForm[] = [];
  for (const { form, without } of arms) {
    const sight = { form, without };
    if (form !== null && !all.some((one) => isDeepStrictEqual(one, sight))) all.push(sight);
  }
  return all;
}
