// How far an ablation is that is under way.
import type { Ablated } from '../../../../schemas/ablation-output.ts';
import { measuredOf } from './figures.ts';

export function Progress({ ablated }: { readonly ablated: Ablated }) {
  const { decisions, trainings, arms, units, depth } = ablated;
  const [done, all] = begunOf(ablated);
  const trained = new Set(trainings.map(({ arm, unit }) => `${arm}\t${unit}`)).size;
  const measured = measuredOf(ablated);
  const results = arms.length * units.length;
  return (
    <div class="progress" role="status">
      <label>
        <span>
          Under way: {done} of {all} decisions
          {depth === 'propose' ? '' : `, ${trained} of ${results} trained, ${measured} of ${results} measured`}
        </span>
        <progress value={done + trained + measured} max={all + (depth === 'propose' ? 0 : 2 * results)} />
      </label>
      {decisions.length > 0 && <p class="quiet">What follows covers only what is recorded so far.</p>}
    </div>
  );
}

/** At depth run an arm decides again after every later stage, and counts once. */
function begunOf({ depth, decisions, arms, units, histories }: Ablated): readonly [done: number, all: number] {
  const stages = new Map(
    histories.map(({ run, decisions: own }) => [run, depth === 'run' ? own.slice(0, 1) : own] as const),
  );
  const done = decisions.filter(
    ({ run, stage, came }) => came !== 'errored' && stages.get(run)?.includes(stage) === true,
  );
  const all = arms.length * units.reduce((sum, { run }) => sum + (stages.get(run)?.length ?? 0), 0);
  return [done.length, all];
}
