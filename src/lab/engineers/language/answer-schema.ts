// The form of an answer as a JSON schema, for endpoints that hold a model to one. Ranges are not in it: not every endpoint
// takes them, and whether an engineer keeps to them by itself is worth knowing.
import type { Descriptor } from '../../../../schemas/environment.ts';
import type { Parameters } from '../../models/entries.ts';

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

/** Held to strictly, everything is required and nothing else is allowed. */
function object(properties: Readonly<Record<string, object>>): object {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}

function listOf(items: object): object {
  return { type: 'array', items };
}

const reason = object({ knob: text, cites: listOf(text), reason: text });
