// The histories that are replayed, with everything summed up that the forms of the arms and their scores need. What the run did not sum up
// then is added up from its evidence once, for all arms together, and recorded beside them.
import { entry } from '../../base/entry.ts';
import type { Model } from '../../lab/models/model.ts';
import type { Blobs } from '../../ledger/blobs/blobs.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { RunHistory } from '../run/history.ts';
import { idOf } from '../run/ids.ts';
import { textReader } from '../run/texts.ts';
import { isEvidenceModule } from '../summaries/modules.ts';
import { selfSummary } from '../summaries/self-summary.ts';
import { stageOf } from '../summaries/summarise.ts';
import { type Design, replayedIn, type Unit } from './design.ts';
import type { AblationJournal } from './journal.ts';
import type { Station } from './stations.ts';
import { type Summing, summedModules, summedUp } from './summed.ts';

export interface Completing {
  readonly design: Design;
  readonly journal: AblationJournal;
  readonly ledger: Ledger;
  readonly blobs: () => Promise<Blobs>;
  readonly stationOf: (of: { readonly unit: Unit }) => Promise<Station>;
  readonly signal: AbortSignal;
}

export class Whole {
  readonly #of: Completing;
  readonly #made = new Map<number, Promise<RunHistory>>();

  constructor(of: Completing) {
    this.#of = of;
  }

  /** The history of a unit. What a model would have to say of itself is missing where no model is the policy. */
  async historyOf(unit: Unit): Promise<RunHistory> {
    return await entry(this.#made, unit.history, () => this.#completed(unit));
  }

  async #completed(unit: Unit): Promise<RunHistory> {
    const { design, journal, ledger, blobs, signal, stationOf } = this.#of;
    const { history, stages, run } = replayedIn(design, unit);
    const shown = design.arms.flatMap(({ form }) => form?.modules ?? []);
    // Which families work, and are to be kept, is known from there, whether anybody is shown it or not.
    const asked = new Set([...shown, ...(shown.some(isEvidenceModule) ? scoredBy : [])]);
    if (summedModules.every((module) => !asked.has(module) || isSummedUp(history, stages, module))) return history;
    const { environment, learner } = await stationOf({ unit });
    const textOf = textReader(blobs);
    const idOfSummary = (stage: number, module: string): string =>
      idOf(design.ablation, { type: 'SummaryRecorded', stage, index: indexOf(unit, module) });
    const { model } = learner;
    const saying =
      (of: Model): NonNullable<Summing['said']> =>
      async (now, stage) => {
        const checkpoint = stageOf(now, stage)?.training?.data.checkpoint ?? null;
        const { contextTokens: budget } = replayedIn(design, unit).settings;
        return await selfSummary({ textOf, environment, history: now, stage, budget, signal, model: of, checkpoint });
      };
    const wanted = summedModules.filter((module) => asked.has(module) && (module !== 'self-summary' || model !== null));
    const { history: whole, added } = await summedUp(
      history,
      stages.map((stage) => ({ stage, modules: wanted })),
      { ledger, signal, textOf, environment, idOf: idOfSummary, ...(model === null ? {} : { said: saying(model) }) },
    );
    for (const { stage, event } of added) {
      const index = indexOf(unit, event.data.module);
      const sealed = stageOf(history, stage)?.sealed?.id;
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
  return stages.every((stage) => stageOf(history, stage)?.summaries.some(({ data }) => data.module === module));
}

function indexOf({ history }: Unit, module: string): number {
  return history * summedModules.length + summedModules.indexOf(module);
}
