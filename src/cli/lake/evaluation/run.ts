// Evaluates one policy on the lakes that were asked for, and notes on the way what the evaluation itself does not keep: the
// kinds of faults, how long it took, and what was achieved lake by lake.
import type { LakeFault, LakeMeasuredPace } from '../../../../schemas/lake-evaluation-output.ts';
import { type Environment, isSpoilt } from '../../../lab/environments/environment.ts';
import { type Evaluation, evaluate, type Subject } from '../../../lab/evaluation/evaluate.ts';
import type { Evaluated } from '../../../lab/evaluation/judged.ts';
import type { Context } from '../../context.ts';
import { Progress } from '../../output/progress.ts';
import { ByLake } from './by-lake.ts';
import { headsUp } from './heads-up.ts';
import type { Named } from './policies.ts';

export interface Conditions {
  readonly samples: number;
  readonly greedy: boolean;
  readonly seed: string;
}

export interface Evaluating extends Conditions {
  readonly environment: Environment;
  readonly subject: Subject;
  /** How many lakes there will be. */
  readonly lakes: number;
  /** Told of each rollout. */
  readonly onRollout?: (evaluated: Evaluated) => void;
}

export interface Outcome {
  readonly evaluation: Evaluation;
  readonly faults: readonly LakeFault[];
  readonly pace: LakeMeasuredPace;
  readonly byLake: ByLake;
}

export async function evaluated(context: Context, named: Named, asked: Evaluating): Promise<Outcome> {
  const { word, policy } = named;
  const { environment, subject, lakes, samples, greedy, seed, onRollout } = asked;
  const progress = new Progress(context, `rollouts of ${word}`);
  const notes = new Notes(samples);
  const of = lakes * samples;
  const { signal } = context;
  const callOff = headsUp(context, named);
  const rollouts = evaluate(environment, policy, { ...subject, samples, greedy, seed, signal });
  try {
    for (;;) {
      const next = await rollouts.next();
      callOff();
      if (next.done === true) return { evaluation: next.value, ...notes.told() };
      notes.add(next.value);
      onRollout?.(next.value);
      await progress.update({ done: notes.rollouts, of });
    }
  } finally {
    callOff();
    await progress.end();
  }
}

class Notes {
  readonly #begun = performance.now();
  readonly #faults = new Map<string, { count: number; readonly says: string }>();
  readonly #latencies: number[] = [];
  readonly #byLake: ByLake;
  #agentSteps = 0;
  rollouts = 0;

  constructor(samples: number) {
    this.#byLake = new ByLake(samples);
  }

  add({ planned, verdict }: Evaluated): void {
    this.rollouts += 1;
    this.#agentSteps += planned.agentSteps ?? 0;
    this.#byLake.add(verdict);
    const latency = planned.measured?.['latencyMs'];
    if (typeof latency === 'number') this.#latencies.push(latency);
    if (!isSpoilt(verdict)) return;
    const { kind, message } = verdict.spoilt;
    const fault = this.#faults.get(kind) ?? { count: 0, says: message };
    fault.count += 1;
    this.#faults.set(kind, fault);
  }

  told(): Pick<Outcome, 'faults' | 'pace' | 'byLake'> {
    const seconds = (performance.now() - this.#begun) / 1000;
    const perSecond = (number: number): number => (seconds > 0 ? Math.round(number / seconds) : 0);
    return {
      faults: Array.from(this.#faults, ([kind, fault]) => ({ kind, ...fault })).sort((a, b) => b.count - a.count),
      pace: {
        seconds: Number(seconds.toFixed(3)),
        rolloutsPerSecond: perSecond(this.rollouts),
        agentSteps: this.#agentSteps,
        agentStepsPerSecond: perSecond(this.#agentSteps),
        latencyMs: latencyIn(this.#latencies),
      },
      byLake: this.#byLake,
    };
  }
}

function latencyIn(latencies: number[]): LakeMeasuredPace['latencyMs'] {
  if (latencies.length === 0) return null;
  latencies.sort((a, b) => a - b);
  const at = (share: number): number =>
    latencies[Math.min(latencies.length - 1, Math.floor(share * latencies.length))] ?? 0;
  return { median: at(0.5), p95: at(0.95) };
}
