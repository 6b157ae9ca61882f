// A rollout as one line: the lake and the plan, so that `lake judge` and `lake show` read it, and what became of it.
import type { LakeRollout } from '../../../../schemas/lake-evaluation-output.ts';
import { isSpoilt, taskDigest, type Verdict } from '../../../lab/environments/environment.ts';
import type { Evaluated } from '../../../lab/evaluation/judged.ts';
import type { Line } from '../../../lab/lake/line.ts';
import type { Planned } from '../../../lab/policies/policy.ts';

export function rolloutLine({ planned, verdict }: Evaluated): LakeRollout {
  const { task, sample, answer, truncated, agentSteps, sureness, measured } = planned;
  const { size, holes, agents } = task.instance as unknown as Line;
  const { needsWait } = task.facts;
  return {
    id: task.id,
    size,
    holes: holes.map(([row, column]) => [row, column]),
    agents: agents.map(({ start, goal }) => ({ start: [...start], goal: [...goal] })),
    digest: taskDigest(task),
    ...(typeof needsWait === 'boolean' ? { needsWait } : {}),
    sample,
    plan: isSpoilt(verdict) ? null : (verdict.understood ?? answer),
    ...(truncated === undefined ? {} : { truncated }),
    ...becameOf(verdict),
    ...(agentSteps === undefined ? {} : { agentSteps }),
    ...(sureness === undefined ? {} : { sureness: { ...sureness } }),
    ...saidIn(planned),
    ...(measured === undefined ? {} : { measured }),
  };
}

function becameOf(verdict: Verdict): Pick<LakeRollout, 'outcome' | 'cost' | 'optimal' | 'failures' | 'fault'> {
  if (isSpoilt(verdict)) return { outcome: null, cost: null, optimal: null, failures: [], fault: verdict.spoilt };
  const { outcome, metrics, failures, success } = verdict;
  const { cost, optimal } = metrics;
  return {
    outcome: outcome as LakeRollout['outcome'],
    cost: typeof cost === 'number' ? cost : null,
    optimal: typeof optimal === 'number' ? optimal === 1 : success ? null : false,
    failures: failures.map((failure) => ({ ...failure })),
  };
}

function saidIn({ spoken }: Planned): Partial<LakeRollout> {
  if (spoken === undefined) return {};
  const { key, completion, finishReason, usage, cost } = spoken;
  return {
    modelAnswer: key,
    completion,
    finishReason,
    ...(usage === undefined ? {} : { tokens: usage as Record<string, number> }),
    ...(cost === undefined ? {} : { spent: { currency: cost.currency, total: cost.total } }),
  };
}
