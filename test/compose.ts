// docker-compose.yml, read.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { root } from '../tools/nodes.ts';

export interface Service {
  readonly image: string;
  /** Without one, it is started with the rest. */
  readonly profiles?: readonly string[];
  readonly command?: readonly string[];
  readonly ports: readonly string[];
  readonly volumes: readonly string[];
  readonly environment: Readonly<Record<string, string | number>>;
  readonly healthcheck: unknown;
  readonly mem_limit?: string;
  readonly deploy?: unknown;
}

/** As it is where none of the variables it asks for is set. */
export function composed(): {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: Readonly<Record<string, unknown>>;
} {
  const text = readFileSync(join(root, 'docker-compose.yml'), 'utf8');
  return parse(text.replace(/\$\{\w+:-([^}]*)\}/g, '$1'));
}
