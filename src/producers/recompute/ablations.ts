// Recomputes what ablation arms recorded: judges their rollouts again and recomputes their trainings and evaluations.
import type { EventData } from '../../../schemas/catalogue.ts';
import type { Descriptor } from '../../../schemas/environment.ts';
import { type RunSettings, runSettings } from '../../../schemas/run-file.ts';
import { isTrainingPart, streamOf } from '../../../schemas/streams.ts';
import type { Registry } from '../../lab/registry.ts';
import { placeOf } from '../../ledger/event.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { StoredEvent } from '../../ledger/stored.ts';
import type { Seal } from '../../ledger/verify/seals.ts';
import { historyTrained, historyWith } from '../ablation/arm-history.ts';
import { AblationRecord, keyOf, type OfArm } from '../ablation/record.ts';
import { armRunIn } from '../ablation/train.ts';
import { armOwner, partNamed } from '../evidence/parts.ts';
import { readHistory } from '../history/reading.ts';
import { type RunHistory, stageAt } from '../history/run-history.ts';
import type { Account } from './account.ts';
import { ArmsDecisions, type Conclude } from './arms.ts';
import { recomputeEvaluationSettings, recomputeTrainingSettings } from './decisions.ts';
import type { Environments } from './environments.ts';
import { recomputeEvaluation, type SealedPart } from './evaluations.ts';
import { rejudge, skipRollouts } from './rollouts.ts';
import type { TextOf } from './summaries.ts';
import { type Audits, recomputeTraining } from './trainings.ts';

export interface AblationCheck {
  readonly ledger: Ledger;
  readonly environments: Environments;
  readonly registry: Registry;
  readonly audits: Audits;
  /** The sealed attempts, by stream. */
  readonly seals: ReadonlyMap<string, Seal>;
  readonly textOf: TextOf;
  readonly account: Account;
  readonly signal: AbortSignal;
  readonly onEvent: () => Promise<void>;
  /** Null if ablations cannot be concluded here. */
  readonly conclude: Conclude | null;
}

/** The settings of a history's run. */
interface Replayed {
  readonly history: RunHistory;
  readonly settings: RunSettings;
  readonly descriptor: Descriptor;
}

interface ArmSettings {
  readonly history: RunHistory;
  readonly settings: RunSettings;
}

type Arm = OfArm<'ArmTrained'> | OfArm<'ArmEvaluated'>;

export async function recomputeAblation(of: AblationCheck, ablation: string): Promise<void> {
  const record = await AblationRecord.read(of.ledger, ablation);
  const again = new Ablation(of, record);
  const decisions = new ArmsDecisions({ ...of, record, replayedOf: (run) => again.replayedOf(run) });
  for await (const events of of.ledger.read(streamOf.ablation(ablation))) {
    for (const event of events) {
      of.signal.throwIfAborted();
      await again.event(event);
      await decisions.event(event);
    }
  }
}

function isPartOfAnArm(ablation: string, part: string, suite: string): boolean {
  const place = /^arm([0-9]+)\./.exec(part)?.[1];
  return place !== undefined && armOwner(ablation, Number(place)).partOf(partNamed(suite)) === part;
}

class Ablation {
  readonly #of: AblationCheck;
  readonly #record: AblationRecord;
  /** The owners of rollouts, by stream. */
  readonly #owners = new Map<string, Arm>();
  readonly #replayed = new Map<string, Promise<Replayed | string>>();

  constructor(of: AblationCheck, record: AblationRecord) {
    this.#of = of;
    this.#record = record;
    for (const arm of [...record.trainings.values(), ...[...record.evaluations.values()].flat()]) {
      for (const { stream } of arm.rollouts ?? []) if (!this.#owners.has(stream)) this.#owners.set(stream, arm);
    }
  }

  async event(event: StoredEvent): Promise<void> {
    const { reading } = event;
    if (!reading.known) return;
    switch (reading.type) {
      case 'EvidenceSealed':
        return await this.#evidence(event, reading.data);
      case 'ArmTrained':
        return await this.#training(event, reading.data);
      case 'ArmEvaluated':
        return await this.#evaluation(event, reading.data);
      default:
    }
  }

  async #evidence(event: StoredEvent, data: EventData['EvidenceSealed']): Promise<void> {
    const by = placeOf(event);
    const sealed = { ...data, attempts: data.attempts.filter(({ stream }) => this.#of.seals.get(stream)?.by === by) };
    const { ledger, environments, audits, textOf, account, signal, onEvent } = this.#of;
    const owners = sealed.attempts.flatMap(({ stream }) => this.#owners.get(stream) ?? []);
    const replayed = owners[0] === undefined ? 'no arm refers to them' : await this.replayedOf(owners[0].run);
    const again = { ledger, sealed, account, signal, onEvent };
    if (typeof replayed === 'string') return await skipRollouts(again, replayed);
    const opened = await environments.of(replayed.settings.environment, replayed.descriptor);
    if ('why' in opened) return await skipRollouts(again, opened.why);
    const trainerOf = (stream: string) => {
      const owner = this.#owners.get(stream);
      return owner !== undefined && 'trainer' in owner.data ? (owner.data.trainer ?? {}) : null;
    };
    await rejudge({ ...again, audits, trainerOf, textOf, environment: opened.environment });
  }

  async #training(event: StoredEvent, data: EventData['ArmTrained']): Promise<void> {
    const { ledger, registry, audits, account, signal } = this.#of;
    if (data.armRun !== undefined) return await this.#ofArmRun(event, data);
    const configuration = await this.#configurationOf(event, data);
    const asked = await this.#askedOf(event, data);
    if (asked !== null) {
      const { arm: _, unit: __, reproduces: ___, ...training } = data;
      const history = await this.#historyOf(event, data, asked.history);
      const stage = event.envelope.stage ?? 0;
      recomputeTrainingSettings({ ...asked, event, history, stage, account, registry, audits }, training);
    }
    const sealed = this.#sealedOf(event, (part) => isTrainingPart(part));
    const again = { event, data, configuration, sealed, ledger, account, signal, audits };
    await account.attempt(event, 'trainings', 'recomputed-training', () => recomputeTraining(again));
  }

  async #evaluation(event: StoredEvent, data: EventData['ArmEvaluated']): Promise<void> {
    const { ledger, account, signal } = this.#of;
    const replayed = await this.replayedOf(event.envelope.run ?? '');
    if (typeof replayed === 'string') return account.skip(event, 'evaluations', replayed);
    const { name } = data.suite;
    const { ablation, started } = this.#record;
    const sealed =
      started?.data.depth === 'run'
        ? this.#sealedInRun(event, data, replayed)
        : this.#sealedOf(event, (part) => isPartOfAnArm(ablation, part, name));
    const elsewhere = replayed.history.stages.flatMap(({ stage, evaluations }) =>
      evaluations.map(({ data: { suite } }) => ({ stage, suite })),
    );
    const asked = await this.#askedOf(event, data);
    if (asked !== null && data.armRun === undefined) {
      const { arm: _, unit: __, ...evaluation } = data;
      const stage = event.envelope.stage ?? 0;
      const place = { arm: data.arm, unit: data.unit ?? null, stage };
      const training = this.#record.trainings.get(keyOf(place))?.data;
      if (training !== undefined) {
        const history = historyTrained(await this.#historyOf(event, training, asked.history), stage - 1, training);
        recomputeEvaluationSettings({ ...asked, event, history, stage, account }, evaluation);
      }
    }
    const again = { event, data, descriptor: replayed.descriptor, sealed, elsewhere, ledger, account, signal };
    await account.attempt(event, 'evaluations', 'recomputed-evaluation', () => recomputeEvaluation(again));
  }

  /**
   * Arms with equal decisions share their rollouts, so the recorder may be another arm. An arm is sealed before it is
   * recorded.
   */
  #sealedOf({ envelope }: StoredEvent, isPart: SealedPart['isPart']): SealedPart {
    return { seals: this.#of.seals, run: this.#record.ablation, stage: envelope.stage ?? 0, isPart, isOpen: false };
  }

  /** Sealed in the run that the arm continues as; for `actual`, in the history or its parents. */
  #sealedInRun({ envelope }: StoredEvent, data: EventData['ArmEvaluated'], { history }: Replayed): SealedPart {
    const { arm, unit = null, armRun, suite } = data;
    const stage = envelope.stage ?? 0;
    const shared = history.shares.findLast((one) => stage <= one.stage);
    const run = armRun === undefined ? (shared?.run ?? history.run) : armRunIn(this.#record.ablation, arm, unit ?? '');
    const named = partNamed(suite.name);
    return { seals: this.#of.seals, run, stage, isPart: (part) => part === named, isOpen: false };
  }

  /** An arm with a run of its own is recorded like that run. */
  async #ofArmRun(
    event: StoredEvent,
    { arm: _, unit: __, armRun = '', ...data }: EventData['ArmTrained'],
  ): Promise<void> {
    const replayed = await this.replayedOf(armRun);
    if (typeof replayed === 'string') return this.#of.account.skip(event, 'trainings', replayed);
    const same = stageAt(replayed.history, event.envelope.stage)?.training?.data;
    this.#of.account.again('trainings');
    this.#of.account.hold(event, 'recomputed-training', data, same);
  }

  /** The settings of its history that apply to an arm of its unit; null if they are not recorded. */
  async #askedOf(
    { envelope }: StoredEvent,
    { unit }: Pick<EventData['ArmTrained'], 'unit'>,
  ): Promise<ArmSettings | null> {
    const replayed = await this.replayedOf(envelope.run ?? '');
    const { options, started } = this.#record;
    if (typeof replayed === 'string' || options === null) return null;
    const { history, settings } = replayed;
    const found = options.units.find((one) => one.unit === unit);
    // A repeated training is of no unit, and has the settings of its history.
    if (found === undefined) return { history, settings };
    const { seed = settings.seed } = found;
    return { history, settings: { ...settings, seed, budget: started?.data.budget ?? settings.budget } };
  }

  /** As if the arm's configuration had been adopted. */
  async #historyOf(event: StoredEvent, data: EventData['ArmTrained'], history: RunHistory): Promise<RunHistory> {
    const digest = data.configuration ?? '';
    const whole = (await this.#configurationOf(event, data)) ?? {};
    return historyWith(history, (event.envelope.stage ?? 1) - 1, { digest, whole, knobs: [] });
  }

  /** The arm's decision or the current configuration, whichever has the digest that was trained on. */
  async #configurationOf({ envelope }: StoredEvent, { arm, unit, configuration }: EventData['ArmTrained']) {
    const stage = (envelope.stage ?? 1) - 1;
    const proposed = this.#record.proposals.get(keyOf({ arm, unit: unit ?? null, stage }))?.data.configuration;
    if (proposed?.digest === configuration) return proposed?.whole;
    const replayed = await this.replayedOf(envelope.run ?? '');
    if (typeof replayed === 'string') return undefined;
    const begun = replayed.history.stages.map(({ started }) => started.data.configuration);
    return begun.find((one) => one?.digest === configuration)?.whole;
  }

  /** Or why it is not available. */
  async replayedOf(run: string): Promise<Replayed | string> {
    const found = this.#replayed.get(run) ?? this.#read(run);
    this.#replayed.set(run, found);
    return await found;
  }

  async #read(run: string): Promise<Replayed | string> {
    const history = await readHistory(this.#of.ledger, run);
    const settings = runSettings.safeParse(history.started?.data.options);
    const descriptor = history.started?.data.descriptor;
    if (!settings.success || descriptor === undefined) return `of run ${run}, which icecore run did not make`;
    return { history, settings: settings.data, descriptor };
  }
}
