// The words of requests stand in text files beside this one, with places in braces for what differs.
import { readFileSync } from 'node:fs';

const read = new Map<string, string>();

/** What is put into a place is not looked at again: braces in it are only braces. */
export function filled(file: string, facts: Readonly<Record<string, string>>): string {
  return template(file).replace(/\{(\w+)\}/g, (place, name: string) => facts[name] ?? place);
}

function template(file: string): string {
  const known = read.get(file);
  if (known !== undefined) return known;
  const text = readFileSync(new URL(file, import.meta.url), 'utf8').trimEnd();
  read.set(file, text);
  return text;
}
