// Runs whose single tries are recorded, one by one.
import type { EventData } from '../../../../schemas/catalogue.ts';
import { sha256 } from '../../../ledger/identity/ids.ts';
import { Recording, sizes } from '../../history/testing/recording.ts';

interface Rollouts {
  readonly split?: EventData['RolloutRecorded']['split'];
  readonly samples?: number;
  readonly tasks?: string;
  /** The place of a try that was spoilt. */
  readonly spoilt?: number;
  /** A measure of which the outcomes are shares. */
  readonly measured?: string;
  /** The suite whose evaluation names them as what it adds up. */
  readonly suite?: string;
  /** What they are recorded of: a shard, or a suite. */
  readonly part?: string;
}

/** With single tries of a stage, in a stream of evidence of their own. */
export function withRollouts(
  recording: Recording,
  run: string,
  stage: number,
  outcomes: readonly number[],
  { split = 'validation', samples = 1, tasks = 'tasks', spoilt, measured, suite, part = '0' }: Rollouts = {},
): Recording {
  const evidence = new Recording(run, Date.UTC(2026, 6, 2));
  outcomes.forEach((outcome, i) => {
    const task = Math.floor(i / samples);
    evidence.add('RolloutRecorded', stage, {
      ...(i === spoilt ? { error: { kind: 'timeout', message: 'too late' } } : {}),
      ...{
        environment: 'lake',
        split,
        policy: 'neural',
        outcome: outcome === 1 ? 'valid' : 'hole',
        success: outcome === 1,
        ...(measured === undefined ? {} : { metrics: { [measured]: outcome } }),
      },
      ...{
        family: sizes[task % sizes.length] ?? '3',
        sample: i % samples,
        task: { digest: sha256(`${tasks} ${task}`) },
      },
    });
  });
  const idOf = (id: string): string => id.replace(/^.{8}/, sha256(part).slice(0, 8));
  const sent = evidence.sent.map(({ event }) => (part === '0' ? event : { ...event, id: idOf(event.id) }));
  const stream = `evidence-${run}-${stage}-${part}-0`;
  recording.sent.push(...sent.map((event) => ({ event, stream })));
  if (suite === undefined) return recording;
  const root = sha256(stream);
  recording.sent.forEach(({ event, ...others }, i) => {
    if (event.type !== 'EvaluationRecorded' || event.stage !== stage) return;
    if ((event.data as EventData['EvaluationRecorded']).suite.name !== suite) return;
    const span = { stream, from: 0, to: outcomes.length - 1, root };
    recording.sent[i] = { ...others, event: { ...event, causes: [...event.causes, span] } };
  });
  return recording;
}
