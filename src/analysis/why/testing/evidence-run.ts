// A run whose engineer was shown something, as icecore records it: rollouts and their failures, what they add up to, the
// context with its evidence ids, a proposal that cites them, and its adoption.
import { canonicalJson } from '../../../../schemas/canonical.ts';
import type { EventData, NewEventOf, TypeName } from '../../../../schemas/catalogue.ts';
import { versionOf } from '../../../../schemas/catalogue.ts';
import { sha256 } from '../../../ledger/identity/ids.ts';
import type { Ledger } from '../../../ledger/ledger.ts';
import { openLedger } from '../../../ledger/open.ts';
import {
  configurationOf,
  descriptorOf,
  evaluation,
  evenly,
  type Knobs,
  Recording,
} from '../../history/testing/recording.ts';

type EvidenceIds = EventData['ContextRecorded']['evidenceIds'];
type Summary = EventData['SummaryRecorded'];
type Change = EventData['ProposalRecorded']['changes'][number];

const families: readonly string[] = ['4', '8'];

/** Ids of evidence, by number. */
export function evidenceId(number: number): string {
  return `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
}

const drawing = '┌──┐\n│a▾│ step 2\n└──┘';

/** Two rollouts of the stage, of family 8 and of family 4, each with its failure. */
export async function writeEvidence(ledger: Ledger, run: string, rollout: Partial<EventData['RolloutRecorded']> = {}) {
  const event = <Type extends TypeName>(type: Type, number: number, data: EventData[Type]): NewEventOf<Type> => ({
    id: evidenceId(number),
    type,
    version: versionOf(type),
    at: '2026-07-01T12:00:00.000Z',
    actor: 'producer/rollouts',
    run,
    stage: 1,
    causes: [],
    data,
  });
  const tried = (family: string, failureClass: string): EventData['RolloutRecorded'] => ({
    environment: 'lake',
    split: 'probe',
    policy: 'neural',
    family,
    outcome: failureClass,
    success: false,
    failureClass,
    answer: ['UU', 'D'],
    ...rollout,
  });
  const failed = (number: number, family: string, failureClass: string): EventData['FailureRecorded'] => ({
    rollout: evidenceId(number),
    environment: 'lake',
    split: 'probe',
    family,
    failures: [{ class: failureClass, step: 2, message: 'fell in' }],
  });
  const events = [
    event('RolloutRecorded', 1, tried('8', 'hole')),
    event('FailureRecorded', 2, failed(1, '8', 'hole')),
    event('RolloutRecorded', 3, tried('4', 'off-grid')),
    event('FailureRecorded', 4, failed(3, '4', 'off-grid')),
  ];
  await ledger.append(`evidence-${run}-1-0-0`, events, { expect: 'any' });
}

const rate = (evidenceId: string, family: string, count: number): Summary['facts'][number] => ({
  ...{ evidenceId, family, measure: 'valid', value: count / 32, count, of: 32, low: 0.1, high: 0.5 },
});

const failing = (evidenceId: string, family: string, about: string, count: number): Summary['facts'][number] => ({
  ...{ evidenceId, family, measure: 'failures', about, value: count / 20, count, of: 20 },
});

export function summariesOf(count: number): readonly Summary[] {
  const common = { splits: ['probe'], text: null } satisfies Partial<Summary>;
  const exemplar = (id: string, number: number, family: string, failureClass: string) => ({
    ...{
      evidenceId: id,
      rollout: evidenceId(number),
      failure: evidenceId(number + 1),
      family,
      class: failureClass,
      drawing,
    },
  });
  return [
    {
      ...common,
      module: 'behaviour',
      facts: [rate('B4.valid', '4', 2 * count), rate('B8.valid', '8', count)],
      exemplars: [],
    },
    {
      ...common,
      module: 'failures',
      facts: [failing('FC4.off-grid', '4', 'off-grid', 5), failing('FC8.hole', '8', 'hole', 20 - count)],
      exemplars: [exemplar('F1', 1, '8', 'hole'), exemplar('F2', 3, '4', 'off-grid')],
    },
  ];
}

export interface EvidenceRun {
  /** What of the change of 8.hole is otherwise. */
  readonly change?: Partial<Change>;
  readonly kept?: EventData['ProposalRecorded']['kept'];
  /** Of the summaries of the first stage: what is otherwise. */
  readonly summaries?: readonly Summary[];
  readonly evidenceIds?: EvidenceIds;
  readonly without?: readonly string[];
  readonly form?: EventData['ContextRecorded']['contextForm'];
  /** Whether the context itself is recorded. */
  readonly isRecorded?: boolean;
  /** Stages that are over: 1 or 2. */
  readonly over?: 1 | 2;
  readonly run?: string;
  /** Of the environment, as its descriptor has it. */
  readonly version?: string | undefined;
  /** Whether the evidence of the first stage is sealed. */
  readonly isSealed?: boolean;
}

export const before: Knobs = evenly(families, { '8.hole': 0.3 });
export const after: Knobs = { ...before, '8.hole': 0.2 };

const usualForm: EventData['ContextRecorded']['contextForm'] = {
  name: 'combined',
  modules: ['objective', 'stats', 'behaviour', 'failures'],
};

/** Two stages on two families; before the second one 8.hole changed. */
export function shownRun(shown: EvidenceRun = {}): Recording {
  const {
    change = {},
    kept = null,
    over = 2,
    isRecorded = true,
    summaries = summariesOf(4),
    run = 'shown-run',
  } = shown;
  const recording = new Recording(run);
  recording.add('RunStarted', null, {
    ...{
      name: run,
      environment: { name: 'lake' },
      descriptor: described(shown.version),
      stages: 3,
      budget: { 'agent-steps': 1000 },
    },
    engineer: { name: 'gpt', model: 'gpt-5.4' },
    contextForm: usualForm,
  });
  addOver(recording, 1, before, summaries);
  if (shown.isSealed === true) {
    const stream = `evidence-${run}-1-0-0`;
    recording.add('EvidenceSealed', 1, { attempts: [{ stream, count: 4, root: 'a'.repeat(64) }] });
  }
  const evidenceIds = shown.evidenceIds ?? evidenceIdsOf(recording);
  const context: EventData['ContextRecorded'] = {
    ...{
      contextForm: shown.form ?? usualForm,
      digest: sha256(canonicalJson(evidenceIds)),
    },
    ...{
      text: { text: 'what was shown' },
      history: [],
      evidenceIds,
      tokenizer: 'none',
      tokens: 3,
      budget: 0,
      truncated: [],
    },
    ...(shown.without === undefined ? {} : { without: [...shown.without] }),
  };
  const event = isRecorded ? recording.add('ContextRecorded', 1, context) : evidenceId(99);
  const decided = {
    ...{
      context: { digest: context.digest, event, contextForm: 'combined' },
      configuration: configurationOf(after),
    },
    changes: [
      {
        knob: '8.hole',
        family: '8',
        from: 0.3,
        to: 0.2,
        cites: ['B8.valid', 'FC8.hole'],
        reason: 'Too hard.',
        ...change,
      },
    ],
    ...{ kept: kept === null ? null : [...kept], clamps: [], rationale: 'Make 8 learnable.' },
  };
  const proposal = recording.add('ProposalRecorded', 1, {
    ...decided,
    engineer: { name: 'gpt', model: 'gpt-5.4' },
    predictions: null,
  });
  recording.add('ConfigAdopted', 1, { ...decided, by: 'engineer', proposal, previous: null }, 'producer/run');
  if (over === 2) addOver(recording, 2, after, summariesOf(9));
  else recording.add('StageStarted', 2, { configuration: configurationOf(after) });
  return recording;
}

/** More holes are harder; more of what concerns all is not said to be. */
function described(version: string | undefined): EventData['RunStarted']['descriptor'] {
  const descriptor = descriptorOf(families);
  return {
    ...descriptor,
    ...(version === undefined ? {} : { version }),
    knobs: descriptor.knobs.map((one) => (one.name.endsWith('.hole') ? { ...one, harder: 'more' as const } : one)),
  };
}

function addOver(recording: Recording, stage: number, knobs: Knobs, summaries: readonly Summary[]): void {
  recording.add('StageStarted', stage, { configuration: configurationOf(knobs) });
  recording.add('TrainingRecorded', stage, {
    learningSignal: families.map((family) => ({
      family,
      sampleGroups: 50,
      withVariance: 10 * stage,
      share: stage / 5,
    })),
  });
  recording.add('EvaluationRecorded', stage, evaluation('validation', 'validation', { 4: 50, 8: 20 * stage }));
  for (const summary of summaries) recording.add('SummaryRecorded', stage, summary);
  recording.add('StageCompleted', stage, {});
}

/** As a context names what may be cited of the first stage. */
export function evidenceIdsOf({ sent }: Recording): EvidenceIds {
  const evidenceIds = sent.flatMap(({ event }): [string, EvidenceIds[string]][] => {
    if (event.type === 'RunStarted') {
      const objective = { module: 'objective', events: [event.id], family: null };
      return ['O.stages-to-go', 'O.budget.agent-steps'].map((evidenceId) => [evidenceId, objective]);
    }
    if (event.type !== 'SummaryRecorded') return [];
    const { module, facts, exemplars } = event.data as Summary;
    return [
      ...facts.map(({ evidenceId, family }): [string, EvidenceIds[string]] => [
        evidenceId,
        { module, events: [event.id], family },
      ]),
      ...exemplars.map(({ evidenceId, family, rollout, failure }): [string, EvidenceIds[string]] => [
        evidenceId,
        { module, events: failure === undefined ? [rollout] : [rollout, failure], family },
      ]),
    ];
  });
  return Object.fromEntries(evidenceIds);
}

/** A ledger in the folder that holds the run and, unless stated otherwise, its evidence. */
export async function ledgerWith(
  folder: string,
  recording: Recording,
  evidence: boolean | Partial<EventData['RolloutRecorded']> = true,
): Promise<Ledger> {
  const ledger = await openLedger(`sqlite:${folder}/ledger.db`, { create: true });
  await recording.writeTo(ledger);
  if (evidence !== false) await writeEvidence(ledger, recording.run, evidence === true ? {} : evidence);
  return ledger;
}
