// Recomputes the options, contexts, decisions, scores and conclusions of an ablation.
import { isDeepStrictEqual } from 'node:util';
import type { EventData } from '../../../schemas/catalogue.ts';
import type { Environment } from '../../lab/environments/environment.ts';
import type { Registry } from '../../lab/registry.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { StoredEvent } from '../../ledger/stored.ts';
import { decisionIn } from '../ablation/actual-decision.ts';
import { historyUntil } from '../ablation/arm-history.ts';
import {
  type Declared,
  type Design,
  type EngineerWord,
  identityOf,
  type Replayed,
  recordedArm,
  replayedRevision,
} from '../ablation/design.ts';
import { erroredIn, type Unfinished } from '../ablation/errored.ts';
import type { AblationRecord } from '../ablation/record.ts';
import { withSummary } from '../ablation/summaries.ts';
import { ablationActor } from '../ablation/working.ts';
import { nameOf } from '../history/name.ts';
import { type RunHistory, stageRun } from '../history/run-history.ts';
import type { Account } from './account.ts';
import { recomputeAnswer } from './answers.ts';
import { recomputeProposal } from './decisions.ts';
import type { Environments } from './environments.ts';
import { recomputeContext, recomputeSummary, type TextOf } from './summaries.ts';

/** Concludes an ablation from its record. */
export type Conclude = (record: AblationRecord, unfinished: Unfinished) => EventData['AblationCompleted'];

type Started = EventData['AblationStarted'];
type Summary = EventData['SummaryRecorded'];
type Proposed = EventData['ArmProposed'];

export interface ArmsCheck {
  readonly ledger: Ledger;
  readonly environments: Environments;
  readonly registry: Registry;
  readonly textOf: TextOf;
  readonly account: Account;
  readonly signal: AbortSignal;
  readonly conclude: Conclude | null;
  readonly record: AblationRecord;
  /** The replayed run, or why it cannot be read. */
  readonly replayedOf: (run: string) => Promise<(Omit<Replayed, 'name' | 'stages' | 'run'> & WithDescriptor) | string>;
}

interface WithDescriptor {
  readonly descriptor: Environment['descriptor'];
}

export class ArmsDecisions {
  readonly #of: ArmsCheck;
  readonly #account: Account;
  /** The summaries of histories that the ablation recorded so far. */
  readonly #summed: { readonly run: string; readonly stage: number; readonly event: StoredEvent; data: Summary }[] = [];

  constructor(of: ArmsCheck) {
    this.#of = of;
    this.#account = of.account;
  }

  /** Ignores other events. */
  async event(event: StoredEvent): Promise<void> {
    const { reading } = event;
    if (!reading.known) return;
    const account = this.#account;
    switch (reading.type) {
      case 'AblationStarted':
        return await account.attempt(event, 'decisions', 'recomputed-decision', () => this.#asked(event, reading.data));
      case 'SummaryRecorded':
        return await account.attempt(event, 'summaries', 'recomputed-summary', () =>
          this.#summary(event, reading.data),
        );
      case 'ContextRecorded':
        return await account.attempt(event, 'contexts', 'recomputed-context', () => this.#context(event, reading.data));
      case 'ArmProposed':
        return await account.attempt(event, 'proposals', 'recomputed-scores', () =>
          this.#proposal(event, reading.data),
        );
      case 'AblationCompleted':
        return await account.attempt(event, 'decisions', 'recomputed-decision', () => this.#end(event, reading.data));
      default:
    }
  }

  /** Its name follows from its options. */
  async #asked(event: StoredEvent, started: Started): Promise<void> {
    if (this.#of.record.options === null && event.envelope.actor === ablationActor) {
      const says = 'data.options: not valid options of an ablation';
      return this.#account.fault(event, 'recomputed-decision', says);
    }
    const design = await this.#designOf(started);
    if (typeof design === 'string') return this.#account.skip(event, 'decisions', design);
    this.#account.again('decisions');
    const computed = design.histories.map((one) => ({ stages: one.stages, ...replayedRevision(one, design.depth) }));
    const recorded = started.histories.map(({ decisions, revision, digest }) => ({
      stages: decisions.map((stage) => stage - 1),
      revision,
      digest,
    }));
    this.#account.hold(event, 'recomputed-decision', recorded, computed, 'data.histories');
    const began = design.histories[0]?.history.started?.data;
    const { suites, environment, policy, trainer } = began ?? {};
    const beside = { suites, environment, policy, trainer: design.depth === 'propose' ? undefined : trainer };
    const components = { ...{ suites: started.suites, environment: started.environment }, policy: started.policy };
    this.#account.hold(event, 'recomputed-decision', { ...components, trainer: started.trainer }, beside);
    const { seeds } = started;
    const again = [...new Set(design.units.map(({ seed }) => seed))];
    this.#account.hold(event, 'recomputed-decision', seeds, again, 'data.seeds');
    const { ablation } = this.#of.record;
    this.#account.hold(
      event,
      'recomputed-decision',
      ablation,
      identityOf(design, new Map()),
      'the identity from its options',
    );
  }

  /** Or why its identity cannot be computed. */
  async #designOf(started: Started): Promise<Omit<Design, 'ablation'> | string> {
    const { options } = this.#of.record;
    const { registry } = this.#of;
    if (options === null) return 'its options are recorded in another format';
    const histories: Replayed[] = [];
    for (const { run, decisions } of started.histories) {
      const stages = decisions.map((stage) => stage - 1);
      const replayed = await this.#of.replayedOf(run);
      if (typeof replayed === 'string') return replayed;
      if (!registry.policies.has(replayed.settings.policy)) return 'it uses a model, whose settings are not recorded';
      histories.push({ ...replayed, run, name: nameOf(replayed.history), stages });
    }
    const arms = started.arms.map((arm) => ({ ...arm, word: wordOf(arm, options.engineers) }));
    if (arms.some(({ word }) => word === undefined)) return 'the names of its engineers are not recorded';
    return {
      name: started.name ?? null,
      depth: started.depth,
      histories,
      units: options.units.map(({ unit, seed, run }) => ({
        ...{ unit, seed, sample: 0 },
        history: histories.findIndex((one) => one.run === run),
      })),
      arms: arms.map(
        ({ arm, word = null, engineer, contextForm: form, baseline, without = [], notApplicable = [] }) => ({
          ...{ arm, engineer: word, identity: engineer, form, without, baseline, notApplicable },
        }),
      ),
      declared: declaredIn(started),
      level: started.level,
      margin: started.margin ?? null,
      preset: started.preset ?? null,
      budget: started.budget ?? null,
      options,
      tags: started.tags ?? [],
      says: started.notes ?? null,
    };
  }

  async #summary(event: StoredEvent, data: Summary): Promise<void> {
    const { ledger, textOf, signal } = this.#of;
    const { run } = event.envelope;
    const stage = stageRun(event);
    const replayed = await this.#of.replayedOf(run ?? '');
    if (typeof replayed === 'string') return this.#account.skip(event, 'summaries', replayed);
    const { settings, descriptor } = replayed;
    const history = this.#summedUp(run ?? '', replayed.history);
    const opened = await this.#of.environments.of(settings.environment, descriptor);
    const environment = 'why' in opened ? null : opened.environment;
    const { exemplars } = settings;
    const again = { event, data, history, environment, exemplars, ledger, textOf, signal, account: this.#account };
    await recomputeSummary({ ...again, stage });
    this.#summed.push({ run: run ?? '', stage, event, data });
  }

  #summedUp(run: string, history: RunHistory): RunHistory {
    let now = history;
    for (const { stage, event, data } of this.#summed.filter((one) => one.run === run)) {
      const { id, revision, digest, envelope } = event;
      now = withSummary(now, stage, { id, revision, digest, envelope, data });
    }
    return now;
  }

  async #context(event: StoredEvent, data: EventData['ContextRecorded']): Promise<void> {
    const { ledger, textOf, registry } = this.#of;
    const { run } = event.envelope;
    const stage = stageRun(event);
    const replayed = await this.#of.replayedOf(run ?? '');
    if (typeof replayed === 'string') return this.#account.skip(event, 'contexts', replayed);
    const { history, settings } = replayed;
    const shown = (whole: RunHistory): RunHistory => historyUntil(this.#summedUp(run ?? '', whole), stage);
    const again = { event, data, history, ledger, textOf, registry, account: this.#account, shown };
    await recomputeContext({ ...again, stage });
    this.#account.hold(event, 'recomputed-context', data.budget, settings.contextTokens, 'data.budget');
  }

  async #proposal(event: StoredEvent, { arm, unit: _, armRun, ...data }: Proposed): Promise<void> {
    const { run } = event.envelope;
    const stage = stageRun(event);
    const replayed = await this.#of.replayedOf(armRun ?? run ?? '');
    if (typeof replayed === 'string') return this.#account.skip(event, 'proposals', replayed);
    const history = this.#summedUp(run ?? '', replayed.history);
    const asked = this.#of.record.started?.data.arms.find((one) => one.arm === arm);
    if (asked === undefined) return this.#account.fault(event, 'recomputed-decision', `data.arm: there is no ${arm}`);
    if (armRun !== undefined || (arm === recordedArm && asked.baseline)) {
      const decided = decisionIn(history, stage, asked.engineer);
      this.#account.again('proposals');
      this.#account.hold(event, 'recomputed-decision', data, decided?.data);
      return;
    }
    const contexts = this.#of.record.contexts;
    const { descriptor, settings } = replayed;
    const again = { event, history, stage, data, settings, descriptor, contexts, account: this.#account };
    recomputeProposal(again);
    const { ledger, textOf, environments } = this.#of;
    await recomputeAnswer({ ...again, ledger, textOf, environments });
  }

  #end(event: StoredEvent, data: EventData['AblationCompleted']): void {
    const { record, conclude } = this.#of;
    if (conclude === null) {
      this.#account.skip(event, 'decisions', 'ablations cannot be concluded here');
      return;
    }
    this.#account.again('decisions');
    const { measured: _, ...recorded } = data;
    const computed = conclude(record, erroredIn(record));
    this.#account.hold(event, 'recomputed-decision', this.#asWorded(event, recorded, computed), computed);
  }

  /** With the sentences and corrections of this version, if another one concluded: only the other figures are compared then. */
  #asWorded(event: StoredEvent, recorded: Completed, computed: Completed): Completed {
    const [theirs, own] = [recorded, computed].map(({ version = firstWording }) => version);
    if (theirs === own) return recorded;
    this.#account.skip(event, 'decisions', `conclusions worded by version ${theirs}, this is version ${own}`);
    const { conclusions, version } = computed;
    const contrasts = asCorrected(recorded.contrasts, computed.contrasts);
    return { ...recorded, contrasts, conclusions, version };
  }
}

type Completed = EventData['AblationCompleted'];
type Comparison = Completed['contrasts'][number];

/** The recorded figures of each contrast; what depends on the other contrasts that are tested with it is as computed. */
function asCorrected(recorded: readonly Comparison[], computed: readonly Comparison[]): readonly Comparison[] {
  return computed.map((one) => {
    const found = recorded.find(
      ({ arm, reference, measure, factor }) =>
        arm === one.arm && reference === one.reference && measure === one.measure && factor === one.factor,
    );
    if (found === undefined) return one;
    const { adjusted: _, verdict: __, unitsNeeded: ___, declared: ____, ...figures } = found;
    const { adjusted, verdict, unitsNeeded, declared } = one;
    const corrected = { ...(adjusted === undefined ? {} : { adjusted }), verdict, declared };
    return { ...withoutWidth(figures, one), ...corrected, ...(unitsNeeded === undefined ? {} : { unitsNeeded }) };
  });
}

type Figures = Omit<Comparison, 'adjusted' | 'verdict' | 'unitsNeeded' | 'declared'>;

/** What comes of adding the same numbers in another order. */
const rounding = 1e-12;

/** Earlier versions gave pairs that all differ by the same an interval of no width. */
function withoutWidth(recorded: Figures, { low: interval, method }: Comparison): Figures {
  const { low, high, method: _, ...figures } = recorded;
  const isEmpty = interval === undefined && Math.abs((high ?? 1) - (low ?? 0)) < rounding;
  return isEmpty ? { ...figures, ...(method === undefined ? {} : { method }) } : recorded;
}

/** Of conclusions without a version. */
const firstWording = '1';

type ArmEntry = Started['arms'][number];

/** How the user named an arm's engineer; undefined if not recorded, null for the actual decisions. */
function wordOf(
  { arm, engineer, baseline }: ArmEntry,
  words: readonly EngineerWord[],
): EngineerWord | null | undefined {
  if (arm === recordedArm && baseline) return null;
  if (engineer.model !== undefined) return undefined;
  if (baseline) return engineer.name;
  const command = engineer.parameters?.['command'];
  return words.find((word) => (typeof word === 'string' ? word === engineer.name : isDeepStrictEqual(word, command)));
}

function declaredIn({ primary, contrasts }: Started): readonly Declared[] {
  const declared = contrasts ?? (primary === null ? [] : [primary]);
  return declared.map((one): Declared => ({ ...one, factor: 'factor' in one ? (one.factor ?? null) : null }));
}
