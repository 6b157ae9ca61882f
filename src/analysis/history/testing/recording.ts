// Runs written by hand, event by event, into a real ledger: as icecore makes them, half done, forked, or from other tools that
// leave out almost everything.

import { canonicalJson } from '../../../../schemas/canonical.ts';
import { codeOf, type EventData, type NewEventOf, type TypeName, versionOf } from '../../../../schemas/catalogue.ts';
import type { NewEvent } from '../../../../schemas/envelope.ts';
import { streamOf } from '../../../../schemas/streams.ts';
import { eventId, sha256 } from '../../../ledger/identity/ids.ts';
import type { Ledger } from '../../../ledger/ledger.ts';
import type { Configuration } from '../../../producers/history/configurations.ts';
import type { Descriptor } from '../../../producers/history/run-history.ts';
import { stageNamed } from '../../../producers/run/ids.ts';

interface Sent {
  readonly stream: string;
  readonly event: NewEvent;
}

/** Events of one run, in the order in which they are added, a second apart. */
export class Recording {
  readonly run: string;
  readonly sent: Sent[] = [];
  readonly #begun: number;

  constructor(run: string, begun = Date.UTC(2026, 6, 1, 12)) {
    this.run = run;
    this.#begun = begun;
  }

  /** Returns its id. `stage`: the one that was run when the event was made. */
  add<Type extends TypeName>(
    type: Type,
    stage: number | null,
    data: EventData[Type],
    actor = 'producer/run',
    causes: readonly string[] = [],
  ): string {
    const index = this.sent.length;
    const named = stageNamed({ type, stage });
    const event: NewEventOf<Type> = {
      id: eventId({ run: this.run, stage: named ?? 0, kind: codeOf(type), index }),
      type,
      version: versionOf(type),
      at: new Date(this.#begun + index * 1000).toISOString(),
      actor,
      run: this.run,
      stage: named,
      causes: causes.map((event) => ({ event })),
      data,
    };
    const stream = type === 'RunClaimed' ? streamOf.work(this.run) : streamOf.run(this.run);
    this.sent.push({ stream, event });
    return event.id;
  }

  async writeTo(ledger: Ledger): Promise<void> {
    for (const stream of new Set(this.sent.map((one) => one.stream))) {
      const events = this.sent.filter((one) => one.stream === stream).map(({ event }) => event);
      await ledger.append(stream, events, { expect: 'any' });
    }
  }
}

export type Knobs = Readonly<Record<string, number>>;

/** A descriptor of families with a share of the data and a level each, and one knob that concerns all. */
export function descriptorOf(families: readonly string[], environment = 'lake'): Descriptor {
  return {
    environment,
    knobs: [
      ...families.flatMap((family) => [
        {
          name: `${family}.data`,
          path: ['sizes', family, 'data'],
          meaning: 'share of the training data',
          family,
          range: { min: 0, max: 1 },
          step: 0.05,
        },
        {
          name: `${family}.hole`,
          path: ['sizes', family, 'hole'],
          meaning: 'share of the cells that are holes',
          family,
          range: { min: 0, max: 0.4 },
          step: 0.05,
        },
      ]),
      { name: 'agents', path: ['agents'], meaning: 'agents', family: null, range: { min: 2, max: 5 }, step: 1 },
    ],
    sharesSum: [{ knobs: families.map((family) => `${family}.data`), total: 1 }],
    families: families.map((family) => ({ family })),
    failed: { all: [{ field: ['success'], equals: false }] },
    failureClass: { field: ['failureClass'], otherwise: 'unclassified' },
    family: { field: ['family'], otherwise: families[0] ?? 'any' },
  };
}

export function configurationOf(knobs: Knobs): Configuration {
  return {
    digest: sha256(canonicalJson(knobs)),
    whole: knobs,
    knobs: Object.entries(knobs).map(([knob, value]) => ({
      knob,
      family: knob.includes('.') ? knob.slice(0, knob.lastIndexOf('.')) : null,
      value,
    })),
  };
}

/** An even mix of families without holes, with some knobs set otherwise. */
export function evenly(families: readonly string[], otherwise: Knobs = {}): Knobs {
  const even = families.flatMap((family) => [
    [`${family}.data`, 1 / families.length] as const,
    [`${family}.hole`, 0.1] as const,
  ]);
  return { ...Object.fromEntries(even), agents: 2, ...otherwise };
}

type Evaluation = EventData['EvaluationRecorded'];

/** Counts of a hundred tries in each family; half of the valid ones are optimal. */
export function evaluation(suite: string, split: Evaluation['split'], valid: Knobs): Evaluation {
  const of = 100;
  const rates = (family: string | null, count: number, tries: number): Evaluation['results'] => [
    { family, measure: 'valid', value: count / tries, count, of: tries },
    { family, measure: 'optimal', value: Math.floor(count / 2) / tries, count: Math.floor(count / 2), of: tries },
  ];
  const counts = Object.entries(valid);
  const total = counts.reduce((sum, [, count]) => sum + count, 0);
  return {
    suite: { name: suite },
    split,
    rollouts: of * counts.length,
    results: [
      ...rates(null, total, of * counts.length),
      ...counts.flatMap(([family, count]) => rates(family, count, of)),
    ],
  };
}

type Failures = EventData['SummaryRecorded'];

/** Of a hundred probe rollouts in each family. */
function failuresSummary(failures: Readonly<Record<string, Knobs>>): Failures {
  const facts = Object.entries(failures).flatMap(([family, classes]) =>
    Object.entries(classes).map(([about, count]) => ({
      evidenceId: `FC${family}.${about}`.replaceAll(/\s/g, '-'),
      family,
      measure: 'failures',
      about,
      value: count / 100,
      count,
      of: 100,
    })),
  );
  const rollouts = 100 * Object.keys(failures).length;
  return { module: 'failures', splits: ['probe'], rollouts, facts, exemplars: [], text: null };
}

export interface StageMade {
  readonly knobs: Knobs;
  readonly valid: Knobs;
  readonly failures: Readonly<Record<string, Knobs>>;
  readonly signal: number;
  readonly alerts?: NonNullable<EventData['StageCompleted']['alerts']>;
  /** What its training says of itself beside what is alike of all. */
  readonly trained?: EventData['TrainingRecorded'];
}

/** A whole stage, as the loop records it; returns the id of its last event. */
export function addStage(recording: Recording, stage: number, made: StageMade): string {
  const { knobs, valid, failures, signal, alerts, trained } = made;
  recording.add('StageStarted', stage, { configuration: configurationOf(knobs), seed: stage });
  recording.add('TrainingRecorded', stage, {
    spent: { 'agent-steps': 400_128 },
    curve: [0.1, 0.3, 0.2, 0.6].map((reward, step) => ({ step, values: { reward, entropy: 1 - reward } })),
    learningSignal: [{ family: null, sampleGroups: 100, withVariance: Math.round(100 * signal), share: signal }],
    ...(alerts === undefined ? {} : { alerts }),
    ...trained,
  });
  recording.add('EvaluationRecorded', stage, evaluation('validation', 'validation', valid));
  recording.add('EvaluationRecorded', stage, evaluation('probe-holdout', 'probe-holdout', valid));
  recording.add('EvaluationRecorded', stage, evaluation('wait-50', 'test', valid));
  recording.add('SummaryRecorded', stage, failuresSummary(failures));
  return recording.add('StageCompleted', stage, alerts === undefined ? {} : { alerts });
}

type Adopted = EventData['ConfigAdopted'];

export interface Decided extends Partial<Omit<Adopted, 'configuration'>> {
  readonly knobs: Knobs;
}

/** The decision on the next stage without a proposal before it. */
export function addDecision(recording: Recording, stage: number, decided: Decided): string {
  const { knobs, ...more } = decided;
  return recording.add('ConfigAdopted', stage, {
    by: 'human',
    proposal: null,
    context: null,
    configuration: configurationOf(knobs),
    previous: null,
    changes: [],
    kept: null,
    clamps: [],
    rationale: null,
    ...more,
  });
}

/** A proposal and its adoption. */
export function addProposal(recording: Recording, stage: number, decided: Decided, engineer = 'gpt'): string {
  const { knobs, changes = [], kept = null, clamps = [], rationale = null } = decided;
  const context = { digest: sha256(`context ${stage}`), contextForm: 'combined' };
  const proposal = recording.add(
    'ProposalRecorded',
    stage,
    {
      engineer: { name: engineer },
      context,
      configuration: configurationOf(knobs),
      changes,
      kept,
      clamps,
      rationale,
      predictions: [{ family: '5', measure: 'valid', value: 0.5 }],
      scores: { citation: 0.75, usable: 1 },
    },
    `engineer/${engineer}`,
  );
  return addDecision(recording, stage, { ...decided, by: 'engineer', proposal, context });
}

export const sizes: readonly string[] = ['3', '4', '5'];

/** Three stages on three families: a proposal with a clamp, then a rejected one, an alert, and the end. */
export function wholeRun(run = 'k3v9q2m8x1tz', name = 'quiet-otter', begun?: number): Recording {
  const recording = new Recording(run, begun);
  recording.add('RunStarted', null, {
    name,
    environment: { name: 'lake', version: '1' },
    descriptor: descriptorOf(sizes),
    options: { stages: 3, seed: 7, learning: { rate: 0.003 } },
    seed: 7,
    policy: { name: 'neural', version: '1', parameters: { width: 64 } },
    trainer: { name: 'grpo' },
    engineer: { name: 'gpt', model: 'gpt-5.4', reads: ['failures'] },
    contextForm: { name: 'combined', modules: ['failures', 'stats', 'behaviour'] },
    budget: { 'agent-steps': 400_000 },
    stages: 3,
    tags: ['paper'],
    code: { version: '0.1.0', commit: 'abcdef0123456789' },
  });
  const first = evenly(sizes, { '3.data': 0.4, '4.data': 0.3, '5.data': 0.3, '5.hole': 0.3 });
  addDecision(recording, 0, { knobs: first, by: 'initial' });
  addStage(recording, 1, {
    knobs: first,
    valid: { 3: 80, 4: 40, 5: 10 },
    failures: { 3: { hole: 5 }, 5: { hole: 60, 'vertex-conflict': 20 } },
    signal: 0.56,
  });
  const second = { ...first, '3.data': 0.2, '5.data': 0.45, '4.data': 0.35, '5.hole': 0.2 };
  addProposal(recording, 1, {
    knobs: second,
    rationale: 'Make 5x5 learnable.',
    changes: [
      { knob: '5.hole', family: '5', from: 0.3, to: 0.2, cites: ['FC5.hole'], reason: 'Too many falls.' },
      { knob: '3.data', family: '3', from: 0.4, to: 0.2, cites: null, reason: null },
    ],
    kept: [{ knob: '3.hole', family: '3', cites: ['FC3.hole'], reason: 'It works.' }],
    clamps: [{ knob: '5.hole', family: '5', proposed: 0.18, used: 0.2, rule: 'step' }],
  });
  addStage(recording, 2, {
    knobs: second,
    valid: { 3: 82, 4: 60, 5: 50 },
    failures: { 3: { hole: 5 }, 5: { hole: 30, 'goal-missed': 20 } },
    signal: 0.4,
    alerts: [{ kind: 'forgetting', family: '3', measure: 'valid', before: 0.91, now: 0.74 }],
  });
  recording.add('ProposalRejected', 2, {
    engineer: { name: 'gpt' },
    context: null,
    reason: 'invalid',
    issues: [{ field: '5.data', found: '"much"', allowed: 'a number' }],
    raw: { text: 'much' },
  });
  addDecision(recording, 2, { knobs: second, by: 'kept' });
  addStage(recording, 3, {
    knobs: second,
    valid: { 3: 82, 4: 60, 5: 50 },
    failures: { 3: { hole: 5 }, 5: { hole: 30, 'goal-missed': 20 } },
    signal: 0.4,
  });
  recording.add('RunCompleted', null, { stages: 3 });
  return recording;
}
