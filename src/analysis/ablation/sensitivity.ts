// What a decision hangs on: what comes out otherwise when one module, or one rollout that stands for many, is not shown.
import type { Sensitivity } from '../../../schemas/ablation-output.ts';
import { openErrors } from '../../producers/ablation/errored.ts';
import type { AblationRecord } from '../../producers/ablation/record.ts';
import { turnsBetween } from './likeness.ts';

/** Null where nothing was left out on purpose. */
export function sensitivityIn(record: AblationRecord): Sensitivity | null {
  const { started, options, proposals, rejections } = record;
  if (options?.choice.kind !== 'sensitivity' || started === null) return null;
  const seeing = started.data.arms.filter(({ baseline, contextForm: form }) => !baseline && form !== null);
  const whole = seeing.find(({ without = [] }) => without.length === 0);
  const said = [...proposals.values()].find(({ place }) => place.arm === whole?.arm)?.data.configuration;
  if (whole === undefined || said === undefined) return null;
  const left = seeing.filter(
    ({ engineer, without = [] }) => without.length > 0 && engineer.name === whole.engineer.name,
  );
  const errored = new Set(openErrors(record).map(({ place }) => place.arm));
  return {
    arm: whole.arm,
    left: left.map(({ arm, without = [] }) => {
      const proposal = [...proposals.values()].find(({ place }) => place.arm === arm)?.data.configuration;
      const rejection = [...rejections.values()].find(({ place }) => place.arm === arm)?.data.reason;
      const turns = proposal === undefined ? [] : turnsBetween(said, proposal);
      return {
        arm,
        without: without.join(', '),
        changed: turns.map(({ knob, family, from, to }) => ({ knob, family, whole: from, less: to })),
        came: proposal === undefined ? (rejection ?? (errored.has(arm) ? 'errored' : 'nothing')) : 'proposed',
      };
    }),
  };
}
