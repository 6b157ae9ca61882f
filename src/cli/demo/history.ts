// The history that `icecore demo` records: one stage of a run on MAPF-FrozenLake, written by hand. Its ids and moments are
// fixed, so that recording it a second time repeats nothing.

import { canonicalJson } from '../../../schemas/canonical.ts';
import { codeOf, type EventData, type TypeName, versionOf } from '../../../schemas/catalogue.ts';
import type { Cause, NewEvent } from '../../../schemas/envelope.ts';
import { streamOf } from '../../../schemas/streams.ts';
import { eventId, sha256 } from '../../ledger/identity/ids.ts';
import { failureText, firstSizes, secondSizes, tries } from './story.ts';

export interface DemoEvent extends NewEvent {
  readonly stream: string;
}

const run = 'demo';
const begun = Date.UTC(2026, 0, 15, 9);

export const demoStreams = {
  run: streamOf.run(run),
  evidence: streamOf.evidence(run, 1, 0, 0),
  notes: streamOf.notes(run),
} as const;

/** Where the decision stands in the run's stream. */
export const adoptedAt = 5;

/** The history in the order it happened. */
export function demoHistory(): readonly DemoEvent[] {
  const started = event('RunStarted', 0, null, [], {
    name: 'demo',
    environment: { name: 'lake' },
    engineer: { name: 'rules' },
    says: 'A hand-written example: two agents on small frozen lakes.',
  });
  const stage = event('StageStarted', 0, 1, [started], { configuration: configuration(firstSizes) });
  const rollouts = tries.map((_, i) => rollout(i));
  const failures = rollouts.flatMap((one, i) => failure(one, i));
  const summary = event('SummaryRecorded', 0, 1, failures, summaryData(rollouts, failures));
  const context = event('ContextRecorded', 0, 1, [summary], contextData(failures));
  const proposal = event('ProposalRecorded', 0, 1, [context], proposalData(context));
  const adopted = event('ConfigAdopted', 0, 1, [proposal], adoptionData(proposal, context));
  const note = event('RunAnnotated', 0, 1, [adopted], {
    says: 'Half as many holes on 8x8: watch whether 3x3 stays solved.',
    event: adopted.id,
    knob: '8.hole',
  });
  const all = [started, stage, ...rollouts, ...failures, summary, context, proposal, adopted, note];
  return all.map((one, i) => ({ ...one, at: new Date(begun + i * 10_000).toISOString() }));
}

function event<Type extends TypeName>(
  type: Type,
  index: number,
  stage: number | null,
  causes: readonly DemoEvent[],
  data: EventData[Type],
): DemoEvent {
  const [stream, actor] = homes[type] ?? [demoStreams.run, 'producer/run'];
  return {
    stream,
    id: eventId({ run, stage: stage ?? 0, kind: codeOf(type), index }),
    type,
    version: versionOf(type),
    at: '',
    actor,
    run,
    stage,
    causes: causes.map(({ id }): Cause => ({ event: id })),
    data,
  };
}

const homes: Partial<Record<TypeName, readonly [stream: string, actor: string]>> = {
  RolloutRecorded: [demoStreams.evidence, 'producer/rollouts'],
  FailureRecorded: [demoStreams.evidence, 'producer/failures'],
  ProposalRecorded: [demoStreams.run, 'engineer/rules'],
  RunAnnotated: [demoStreams.notes, 'human/ada'],
};

function configuration(sizes: typeof firstSizes): EventData['ConfigAdopted']['configuration'] {
  const whole = { agents: 2, sizes };
  const knobs = Object.entries(sizes).flatMap(([group, knobsOfGroup]) =>
    Object.entries(knobsOfGroup).map(([knob, value]) => ({ knob: `${group}.${knob}`, group, value })),
  );
  return { digest: sha256(canonicalJson(whole)), whole, knobs };
}

function rollout(index: number): DemoEvent {
  const { group, instance, plan, outcome, cell } = tries[index] as (typeof tries)[number];
  return event('RolloutRecorded', index, 1, [], {
    environment: 'lake',
    instance: { digest: sha256(canonicalJson(instance)), inline: instance },
    split: 'probe',
    group,
    sample: 0,
    policy: 'tiny',
    answer: plan,
    outcome,
    success: cell === null,
    ...(cell === null ? {} : { failureClass: outcome }),
    reward: cell === null ? 1 : 0,
  });
}

function failure(of: DemoEvent, index: number): readonly DemoEvent[] {
  const { group, outcome, cell, step } = tries[index] as (typeof tries)[number];
  if (cell === null) return [];
  const data = {
    rollout: of.id,
    environment: 'lake',
    split: 'probe',
    group,
    failures: [{ class: outcome, step, details: { cell } }],
  } as const;
  return [event('FailureRecorded', index, 1, [of], data)];
}

function summaryData(rollouts: readonly DemoEvent[], failures: readonly DemoEvent[]): EventData['SummaryRecorded'] {
  const exemplar = failures[0];
  const cited = rollouts.find(({ id }) => exemplar?.causes.some((cause) => 'event' in cause && cause.event === id));
  return {
    module: 'failures',
    splits: ['probe'],
    rollouts: rollouts.length,
    facts: [
      {
        label: 'F1',
        group: '8',
        measure: 'failures',
        about: 'hole',
        value: failures.length,
        count: failures.length,
        of: 3,
      },
    ],
    exemplars:
      cited === undefined || exemplar === undefined
        ? []
        : [{ label: 'F2', rollout: cited.id, failure: exemplar.id, group: '8', class: 'hole' }],
    text: { text: failureText },
  };
}

function contextData(failures: readonly DemoEvent[]): EventData['ContextRecorded'] {
  const [exemplar] = failures;
  return {
    form: { modules: ['failures'] },
    digest: sha256(failureText),
    text: { text: failureText },
    history: [{ stream: demoStreams.run, revision: 2 }],
    labels: {
      F1: { module: 'failures', events: failures.map(({ id }) => id), group: '8' },
      F2: { module: 'failures', events: exemplar === undefined ? [] : [exemplar.id], group: '8' },
    },
    tokenizer: 'words',
    tokens: failureText.split(/\s+/).length,
    budget: 0,
    truncated: [],
  };
}

const changes = [
  { knob: '8.hole', group: '8', from: 0.2, to: 0.1, because: ['F1', 'F2'], says: 'On 8x8 most plans end in a hole.' },
];
const kept = [{ knob: '3.hole', group: '3', because: [], says: 'Every probe on 3x3 was solved.' }];
const says = 'Fewer holes where they decide the outcome; the rest stays.';

function shown(context: DemoEvent): EventData['ConfigAdopted']['context'] {
  return { digest: sha256(failureText), event: context.id };
}

function proposalData(context: DemoEvent): EventData['ProposalRecorded'] {
  return {
    forStage: 2,
    engineer: { name: 'rules' },
    context: shown(context),
    configuration: configuration(secondSizes),
    changes,
    kept,
    clamps: [],
    says,
    predictions: [{ group: '8', measure: 'valid', value: 0.5 }],
  };
}

function adoptionData(proposal: DemoEvent, context: DemoEvent): EventData['ConfigAdopted'] {
  return {
    forStage: 2,
    by: 'engineer',
    proposal: proposal.id,
    context: shown(context),
    configuration: configuration(secondSizes),
    previous: configuration(firstSizes).digest,
    changes,
    kept,
    clamps: [],
    says,
  };
}
