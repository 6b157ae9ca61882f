// What arms are shown: the context of a form, built from the history as far as a stage and recorded once, whichever arms are
// shown it. Where the run recorded the same, that is what is shown.
import { isDeepStrictEqual } from 'node:util';
import { entry } from '../../base/entry.ts';
import type { Blobs } from '../../ledger/blobs/blobs.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Built } from '../contexts/build.ts';
import type { Form } from '../contexts/forms.ts';
import { isModule } from '../contexts/forms.ts';
import type { Asking } from '../proposals/asking.ts';
import { stageIn } from '../run/at.ts';
import type { RunHistory } from '../run/history.ts';
import { idOf } from '../run/ids.ts';
import { textReader } from '../run/texts.ts';
import { historyUntil } from './arm-history.ts';
import { type Arm, type Design, replayedIn, type Task, type Unit } from './design.ts';
import type { AblationJournal } from './journal.ts';
import { contextFrom } from './replay.ts';
import { SummaryMissing, summedModules } from './summed.ts';
import { type Completing, Whole } from './whole.ts';

type Context = NonNullable<Asking['context']>;

/** What is shown of a history: a form, less what is left out of it. */
type Sight = Pick<Arm, 'form' | 'without'>;

export class Shown {
  readonly #design: Design;
  readonly #journal: AblationJournal;
  readonly #ledger: Ledger;
  readonly #blobs: () => Promise<Blobs>;
  readonly #whole: Whole;
  readonly #sights: readonly Sight[];
  readonly #shown = new Map<string, Promise<Context>>();

  constructor(of: Completing) {
    const { design, journal, ledger, blobs } = of;
    this.#design = design;
    this.#journal = journal;
    this.#ledger = ledger;
    this.#blobs = blobs;
    this.#whole = new Whole(of);
    this.#sights = sightsOf(design.arms);
  }

  /** With everything summed up that arms are shown or scored by. */
  async historyOf(unit: Unit): Promise<RunHistory> {
    return await this.#whole.historyOf(unit);
  }

  /** Null for who is shown nothing. Throws ContextTooSmall, SummaryMissing and ErasedText. */
  async to({ arm, unit, stage }: Task): Promise<Context | null> {
    const { form, without } = arm;
    if (form === null) return null;
    const sight = this.#sights.findIndex((one) => isDeepStrictEqual(one, { form, without }));
    const key = JSON.stringify([unit.history, stage, sight]);
    return await entry(this.#shown, key, () => this.#built({ arm, unit, stage }, sight));
  }

  async #built({ arm: { form, without }, unit, stage }: Task, sight: number): Promise<Context> {
    const { settings, run } = replayedIn(this.#design, unit);
    const history = await this.#whole.historyOf(unit);
    if (form === null) throw new Error('nothing is shown');
    const until = historyUntil(history, stage);
    requireSummed(until, stage, form);
    const sighted = { form, budget: settings.contextTokens, without: itemsIn(without) };
    const textOf = textReader(this.#blobs);
    const built = await contextFrom(until, stage, sighted, { ledger: this.#ledger, textOf, environment: null });
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

/** The form has the modules that are left out no more; items are still to be taken out of it. */
function itemsIn(without: readonly string[]): readonly string[] {
  return without.filter((word) => !isModule(word));
}

/** Nobody is shown a form of which a part was never there. */
function requireSummed(history: RunHistory, stage: number, { modules }: Form): void {
  const { summaries } = stageIn(history, stage);
  const missing = modules.find(
    (module) => summedModules.includes(module) && !summaries.some(({ data }) => data.module === module),
  );
  if (missing !== undefined) throw new SummaryMissing(history.run, stage, missing, 'the run never summed it up');
}

function isSame(recorded: Built['recorded'], { recorded: built }: Built): boolean {
  return recorded.digest === built.digest && isDeepStrictEqual(recorded.contextForm, { ...built.contextForm });
}

function sightsOf(arms: readonly Arm[]): readonly Sight[] {
  const all: Sight[] = [];
  for (const { form, without } of arms) {
    const sight = { form, without };
    if (form !== null && !all.some((one) => isDeepStrictEqual(one, sight))) all.push(sight);
  }
  return all;
}
