// What an engineer that reads is told: the environment as its descriptor describes it, the form of the answer, and the
// context as data. Nothing else: what contexts are to be compared by must not come in another way.
import type { Descriptor, Knob } from '../../../../schemas/environment.ts';
import type { Configuration } from '../../environments/environment.ts';
import type { Asked } from '../engineer.ts';
import { knobsByName } from './by-name.ts';
import { fenceAround } from './fence.ts';
import { filled } from './template.ts';

export function promptFor({ descriptor, current, context }: Pick<Asked, 'descriptor' | 'current' | 'context'>): string {
  const { environment, meaning, families, knobs } = descriptor;
  const values = knobsByName(descriptor, current);
  return filled('./prompt.txt', {
    environment: named(environment, meaning),
    families: families.map(({ family, meaning }) => `- ${named(family, meaning)}`).join('\n') || 'It has none.',
    knobs: knobs.map((knob) => `- ${knobLine(knob, values)}`).join('\n'),
    shares: sharesLines(descriptor),
    recorded: context === null ? 'Nothing of it is shown to you: there is nothing to cite.' : fenced(context.text),
    example: JSON.stringify(exampleFor(descriptor, values), null, 1),
  });
}

function knobLine({ name, meaning, family, range: { min, max }, step, integer }: Knob, values: Configuration): string {
  const whose = family === null ? 'of all families' : `of family ${family}`;
  const whole = integer === true ? ', whole numbers' : '';
  return `${name} (${whose}), now ${values[name] ?? 'not set'}, from ${min} to ${max}${whole}, a change below ${step} is too small to matter: ${oneLine(meaning)}`;
}

function sharesLines({ sharesSum = [] }: Descriptor): string {
  return sharesSum.map(({ knobs, total }) => `\nTogether these make ${total}: ${knobs.join(', ')}.`).join('');
}

function fenced(text: string): string {
  return filled('./recorded.txt', { fence: fenceAround(text), text });
}

/** It could be taken for an answer if its evidence ids were real. */
function exampleFor({ knobs, families }: Descriptor, values: Configuration): object {
  const [turned, kept] = knobs;
  const reason = (knob: Knob | undefined): object[] =>
    knob === undefined ? [] : [{ knob: knob.name, cites: ['<evidence id>', '<evidence id>'], reason: '<why>' }];
  return {
    rationale: '<why, as a whole>',
    configuration: Object.fromEntries(knobs.map(({ name, range }) => [name, values[name] ?? range.min])),
    reasons: reason(turned),
    kept: reason(kept),
    predictions: families.map(({ family }) => ({ family, value: 0.5 })),
  };
}

function named(name: string, meaning: string | undefined): string {
  return meaning === undefined ? name : `${name}: ${oneLine(meaning)}`;
}

/** A list stays a list, whatever an environment says of itself. */
function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
