// docker-compose.yml, read.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { root } from '../tools/nodes.ts';

export interface Service {
  readonly image: string;
  readonly ports: readonly string[];
  readonly volumes: readonly string[];
  readonly environment: Readonly<Record<string, string | number>>;
  readonly healthcheck: unknown;
  readonly mem_limit: string;
}

export function composed(): {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: Readonly<Record<string, unknown>>;
} {
  return parse(readFileSync(join(root, 'docker-compose.yml'), 'utf8'));
}
