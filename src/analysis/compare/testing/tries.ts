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
}

/** With single tries of a stage, in a stream of evidence of their own. */
export function withRollouts(
  recording: Recording,
  run: string,
  stage: number,
  outcomes: readonly number[],
  { split = 'validation', samples = 1, tasks = 'tasks', spoilt, measured }: Rollouts = {},
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
        group: sizes[task % sizes.length] ?? '3',
        sample: i % samples,
        instance: { digest: sha256(`${tasks} ${task}`) },
      },
    });
  });
  recording.sent.push(...evidence.sent.map(({ event }) => ({ event, stream: `evidence-${run}-${stage}-0-0` })));
  return recording;
}
