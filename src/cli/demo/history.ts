// The history that `icecore demo` records: one stage of a run on MAPF-FrozenLake, written by hand. Its ids and moments are
// fixed, so that recording it a second time repeats nothing.
import { codeOf, type EventData, type TypeName, versionOf } from '../../../schemas/catalogue.ts';
import type { Cause, NewEvent } from '../../../schemas/envelope.ts';
import { streamOf } from '../../../schemas/streams.ts';
import { canonicalJson } from '../../ledger/identity/canonical.ts';
import { eventId, sha256 } from '../../ledger/identity/ids.ts';

export interface DemoEvent extends NewEvent {
  readonly stream: string;
}

const run = 'demo';
const begun = Date.UTC(2026, 0, 15, 9, 0, 0);

export const demoStreams = {
  run: streamOf.run(run),
  evidence: streamOf.evidence(run, 1, 0, 0),
  notes: streamOf.notes(run),
} as const;

/** The history in order; the last event of the run stream is the adopted configuration. */
export function demoHistory(): readonly DemoEvent[] {
  const started = event(0, 'RunStarted', null, 'producer/run', {
    name: 'demo',
    environment: { name: 'lake' },
    engineer: { name: 'rules' },
    says: 'A hand-written example: two agents on small frozen lakes.',
  });
  const stage = event(1, 'StageStarted', 1, 'producer/run', { configuration: first }, [started]);
  const rollouts = tries.map((one, i) => rollout(i, one));
  const failures = rollouts.flatMap((one, i) => failure(i, one));
  const summary = summaryOf(rollouts, failures);
  const context = contextOf(summary, failures);
  const proposal = event(50, 'ProposalRecorded', 1, 'engineer/rules', proposed(context), [context]);
  const adopted = event(51, 'ConfigAdopted', 1, 'producer/run', adoption(proposal), [proposal]);
  const note = event(
    60,
    'RunAnnotated',
    1,
    'human/ada',
    { says: 'Half as many holes on 8x8: watch whether 3x3 stays solved.', event: adopted.id, knob: '8.hole' },
    [adopted],
  );
  return [started, stage, ...rollouts, ...failures, summary, context, proposal, adopted, note];
}

const indexes = new Map<TypeName, number>();
