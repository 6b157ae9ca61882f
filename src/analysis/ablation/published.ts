// The figures of the research that icecore serves, beside those of an ablation that repeats its two analyses. They are of
// another policy at another scale: neither is evidence about the other.
import type { Published } from '../../../schemas/ablation-output.ts';
import { meanOf } from '../../lab/statistics/distributions.ts';
import type { Unfinished } from '../../producers/ablation/errored.ts';
import type { AblationRecord } from '../../producers/ablation/record.ts';
import { valuesIn } from './values.ts';

const caution =
  'Theirs: Qwen3-4B trained with GRPO, 3 to 5 agents, three suites. Ours: the policy of these runs, on their suites. Another policy and scale: neither says anything about the other.';

/** Valid rate in percent over all sizes and numbers of agents, on the suites with wait ratios 0.25, 0.50 and 0.75. */
const ladder = [
  { form: 'v1', theirs: '25.2 / 18.4 / 14.9', label: 'V1 failures only' },
  { form: 'v2', theirs: '36.6 / 26.9 / 19.7', label: 'V2 + guideline' },
  { form: 'v3', theirs: '38.8 / 31.0 / 23.9', label: 'V3 + history with the first configuration' },
  { form: 'v4', theirs: '41.4 / 33.6 / 25.2', label: 'V4 + history without it' },
  { form: 'v5', theirs: '32.6 / 24.6 / 19.7', label: "V5 + the policy's own summary" },
  { form: 'v6', theirs: '45.2 / 35.7 / 27.3', label: 'V6 + training details' },
] as const;

/** Valid and optimal rate in percent at 3, 4 and 5 agents. */
const deciders = [
  { engineer: 'fixed', theirs: '40.42 / 26.67 / 15.11', label: 'a fixed configuration' },
  { engineer: 'base', theirs: '45.21 / 27.62 / 16.00', label: 'the untrained base as engineer' },
  { engineer: 'checkpoint', theirs: '51.67 / 33.14 / 18.67', label: 'the current checkpoint as engineer' },
] as const;

export function publishedBeside(record: AblationRecord, unfinished: Unfinished): readonly Published[] {
  const { started, options } = record;
  if (options?.choice.kind !== 'paper' || started === null) return [];
  const { arms, depth } = started.data;
  const measure = depth === 'propose' ? 'citation' : 'valid';
  const values = valuesIn(record, unfinished).filter((one) => one.measure === measure);
  const cameTo = (arm: string | null): string | null => {
    const known = values.filter((one) => one.arm === arm).flatMap(({ value }) => value ?? []);
    if (known.length === 0) return null;
    return depth === 'propose' ? meanOf(known).toFixed(2) : (100 * meanOf(known)).toFixed(1);
  };
  const climbing = arms.filter(({ contextForm: form, baseline }) => !baseline && form?.name === 'v1')[0]?.engineer.name;
  const armOf = (engineer: string | undefined, form: string | null): string | null =>
    arms.find((one) => one.engineer.name === engineer && (one.contextForm?.name ?? null) === form)?.arm ?? null;
  const row = (label: string, theirs: string, arm: string | null) => ({ label, arm, theirs, ours: cameTo(arm) });
  const ours = depth === 'propose' ? 'ours: citation score' : 'ours: valid, %';
  const snapshots = arms.filter(({ engineer }) => /^checkpoint@\d+$/.test(engineer.name));
  return [
    {
      what: 'Which context helps',
      columns: ['theirs: valid, %, at wait ratios 0.25 / 0.50 / 0.75', ours],
      rows: ladder.map(({ form, theirs, label }) => row(label, theirs, armOf(climbing, form))),
      says: caution,
    },
    {
      what: 'Which snapshot decides',
      columns: ['theirs: valid, %, at 3 / 4 / 5 agents', ours],
      rows: [
        ...deciders.map(({ engineer, theirs, label }) =>
          row(label, theirs, armOf(engineer, engineer === 'fixed' ? null : 'v6')),
        ),
        ...snapshots.map(({ engineer, arm }) => row(`the snapshot ${engineer.name}`, 'not told', arm)),
      ],
      says: caution,
    },
  ];
}
