// Every file that is generated from the catalogue, by its path in the repository.
import { published } from './published.ts';
import { eventReference } from './reference.ts';

export function generatedFiles(): Map<string, string> {
  const schemas = Array.from(published(), ([file, schema]) => [`schemas/json/${file}`, text(schema)] as const);
  return new Map([...schemas, ['docs/events.md', eventReference()]]);
}

const text = (schema: unknown): string => `${JSON.stringify(schema, null, 2)}\n`;
