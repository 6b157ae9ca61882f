// The prompt of a model engineer: the environment's description, the answer format and the context as data. Nothing
// else, so that contexts can be compared by what they contain.

import { readFileSync } from 'node:fs';
import type { Descriptor, Knob } from '../../../schemas/environment.ts';
import type { Issue } from '../../../schemas/errors.ts';
import { escapeControls } from '../../base/escape.ts';
import { type Configuration, digestOf } from '../environments/environment.ts';
import type { Message } from '../models/conversation.ts';
import type { Parameters } from '../models/entries.ts';
import type { ProposalRequest } from './engineer.ts';
import { knobsByName } from './named-values.ts';

export function promptFor({
  descriptor,
  current,
  context,
}: Pick<ProposalRequest, 'descriptor' | 'current' | 'context'>): string {
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

/** Placeholders as evidence ids ensure that the example is not a usable answer. */
function exampleFor({ knobs, families }: Descriptor, values: Configuration): object {
  const [changed, kept] = knobs;
  const reason = (knob: Knob | undefined): object[] =>
    knob === undefined ? [] : [{ knob: knob.name, cites: ['<evidence id>', '<evidence id>'], reason: '<why>' }];
  return {
    rationale: '<why, as a whole>',
    configuration: Object.fromEntries(knobs.map(({ name, range }) => [name, values[name] ?? range.min])),
    reasons: reason(changed),
    kept: reason(kept),
    predictions: families.map(({ family }) => ({ family, value: 0.5 })),
  };
}

function named(name: string, meaning: string | undefined): string {
  return meaning === undefined ? name : `${name}: ${oneLine(meaning)}`;
}

/** Keeps a list entry on one line and readable, whatever the environment's text contains. */
function oneLine(text: string): string {
  return escapeControls(text.replace(/\s+/g, ' ').trim());
}

// The single repair request: it quotes the answer and lists its issues.

/** Further issues are only counted. */
const mostListed = 20;

/** The quoted part of an answer; a proposal is far shorter. */
const longestQuoted = 50_000;

export function repairOf(prompt: string, said: string, issues: readonly Issue[]): readonly [Message, ...Message[]] {
  const repair = filled('./repair.txt', { issues: listed(issues) });
  // Endpoints refuse empty messages and two successive messages of the same role.
  if (said.trim() === '') return [{ role: 'user', content: `${prompt}\n\n${repair}` }];
  return [
    { role: 'user', content: prompt },
    { role: 'assistant', content: said.slice(0, longestQuoted).toWellFormed() },
    { role: 'user', content: repair },
  ];
}

function listed(issues: readonly Issue[]): string {
  const more = issues.length - mostListed;
  const lines = issues
    .slice(0, mostListed)
    .map(({ field, found, allowed }) => `- ${field}: found ${found}, allowed: ${allowed}`);
  return [...lines, ...(more > 0 ? [`- and ${more} more`] : [])].join('\n');
}

// The texts of requests are in files next to this one, with placeholders in braces.

const read = new Map<string, string>();

/** Inserted values are not scanned for placeholders again. */
function filled(file: string, facts: Readonly<Record<string, string>>): string {
  return template(file).replace(/\{(\w+)\}/g, (place, name: string) => facts[name] ?? place);
}

function template(file: string): string {
  const known = read.get(file);
  if (known !== undefined) return known;
  const text = readFileSync(new URL(file, import.meta.url), 'utf8').trimEnd();
  read.set(file, text);
  return text;
}

// A line that marks the start and end of untrusted text. It is derived from the text, so the text's author could not
// predict it; the loop also makes sure that the text does not contain it.

export function fenceAround(text: string): string {
  for (let tried = 0; ; tried++) {
    const fence = `===== ${digestOf([text.toWellFormed(), tried]).slice(0, 20)} =====`;
    if (!text.includes(fence)) return fence;
  }
}

// The answer format as a JSON schema, for endpoints that enforce one. It has no ranges: some endpoints reject them, and
// whether an engineer respects ranges by itself is worth measuring.

export function heldToForm({ knobs }: Descriptor): Parameters {
  const value = Object.fromEntries(knobs.map(({ name, integer }) => [name, integer === true ? whole : number]));
  const schema = object({
    rationale: text,
    configuration: object(value),
    reasons: listOf(reason),
    kept: listOf(reason),
    predictions: listOf(object({ family: text, value: number })),
  });
  return { response_format: { type: 'json_schema', json_schema: { name: 'proposal', strict: true, schema } } };
}

const text = { type: 'string' };
const number = { type: 'number' };
const whole = { type: 'integer' };

/** Strict mode requires all properties and allows no others. */
function object(properties: Readonly<Record<string, object>>): object {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}

function listOf(items: object): object {
  return { type: 'array', items };
}

const reason = object({ knob: text, cites: listOf(text), reason: text });
