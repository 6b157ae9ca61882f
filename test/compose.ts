// Reads docker-compose.yml.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { root } from '../tools/nodes.ts';

export interface Service {
  readonly image: string;
  /** A service without profiles starts by default. */
  readonly profiles?: readonly string[];
  readonly command?: readonly string[];
  readonly ports: readonly string[];
  readonly volumes: readonly string[];
  readonly environment: Readonly<Record<string, string | number>>;
  readonly healthcheck: unknown;
  readonly mem_limit?: string;
  readonly deploy?: unknown;
}

/** With the defaults of all its variables. */
export function composed(): {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: Readonly<Record<string, unknown>>;
} {
  const text = readFileSync(join(root, 'docker-compose.yml'), 'utf8');
  return parse(text.replace(/\$\{\w+:-([^}]*)\}/g, '$1'));
}
