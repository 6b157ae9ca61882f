// What every context begins with: the environment, its knobs and what they are set to now. That is the question itself,
// and no module: without it nobody could answer.
import type { Descriptor, Knob } from '../../../schemas/environment.ts';
import { visible } from '../../base/visible.ts';
import type { Configuration } from '../../lab/environments/environment.ts';
import { knobValue } from '../../lab/environments/knobs.ts';
import { layout } from '../summaries/layout.ts';

/** A knob is shown to so many digits: more than its step has, and no dust. */
const digits = 4;

export function headText(descriptor: Descriptor, current: Configuration): string {
  const { environment, meaning, families } = descriptor;
  const about = [
    `# The environment: ${visible(environment)}`,
    ...(meaning === undefined ? [] : [visible(meaning)]),
    `Its tasks come in families: ${families.map(familyWords).join('; ')}.`,
  ];
  const rows = descriptor.knobs.map((knob) => knobRow(knob, current));
  const knobs = [
    '# The configuration in force',
    'What you can turn, and what it is set to now. Nothing else of the environment changes.',
    ...layout([['knob', 'now', 'range', 'step', 'meaning'], ...rows]).map((line) => `  ${line}`),
    ...(descriptor.sharesSum ?? []).map(({ knobs: names, total }) => `${visible(names.join(' + '))} = ${total}`),
  ];
  const citing = [
    '# How to cite',
    'A figure is cited by its evidence id: its row and its column with a dot between them, as in B8.valid for the row B8 and the column valid, or what stands in square brackets beside it. A rollout is cited as F1, a paragraph as N1.',
  ];
  return [about, knobs, citing].map((lines) => lines.join('\n')).join('\n\n');
}

function familyWords({ family, meaning }: Descriptor['families'][number]): string {
  return visible(meaning === undefined || meaning === '' ? family : `${family} (${meaning})`);
}

function knobRow(knob: Knob, current: Configuration): string[] {
  const { name, range, step, integer, meaning } = knob;
  const value = knobValue(current, knob);
  const whole = integer === true ? ', whole' : '';
  return [
    visible(name),
    value === undefined ? '-' : String(Number(value.toPrecision(digits))),
    `${range.min} to ${range.max}${whole}`,
    String(step),
    visible(meaning),
  ];
}
