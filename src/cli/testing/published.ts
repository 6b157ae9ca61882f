// Holds what commands print against the JSON Schemas that are published for it.
import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { outputs } from '../../../schemas/output.ts';

const folder = new URL('../../../schemas/json/output/', import.meta.url);

const ajv = new Ajv2020({ strict: false, allErrors: true, formats: { 'date-time': isDateTime } });

function isDateTime(text: string): boolean {
  return !Number.isNaN(Date.parse(text));
}

const compiled = new Map<string, ReturnType<typeof ajv.compile>>();

/** What is wrong with the value; empty when it is as published. */
export function faultsAgainst(name: keyof typeof outputs, value: unknown): readonly string[] {
  const validate = compiled.get(name) ?? ajv.compile(schemaOf(name));
  compiled.set(name, validate);
  validate(value);
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

function schemaOf(name: string): object {
  return JSON.parse(readFileSync(new URL(`${name.toLowerCase()}.json`, folder), 'utf8')) as object;
}
