// A language policy on the lake with a model that answers with arbitrary plans.

import { openLake } from '../../../../testbed/lake/environment.ts';
import { collected } from '../../environments/contract/tasks.ts';
import type { Environment, Task } from '../../environments/environment.ts';
import type { ModelSettings } from '../../models/model.ts';
import { modelAt } from '../../models/testing/models.ts';
import { Random } from '../../random.ts';
import { LanguagePolicy } from '../language.ts';
import type { Checkpoint } from '../policy.ts';

export const lake = openLake();

export async function lakes(count = 20): Promise<readonly Task[]> {
  const request = { configuration: lake.start, split: 'validation', count, seed: 'planned' } as const;
  return (await collected(lake.generate(request))).tasks;
}

/** A model with arbitrary plans; at temperature 0 the same for the same question. */
export const mind = (prompt: string, { temperature, seed }: Readonly<Record<string, unknown>>): string => {
  const luck = new Random(temperature === 0 ? 'best' : String(seed), prompt);
  const moves = (): string => Array.from({ length: luck.below(8) }, () => 'UDLRW'[luck.below(5)]).join('');
  return `<think>hm</think>I would say {"plan": ["${moves()}", "${moves()}"]}`;
};

export interface PolicyRequest {
  readonly url: string;
  readonly entry?: object;
  readonly settings?: Partial<ModelSettings>;
  readonly checkpoint?: Checkpoint;
  readonly environment?: Pick<Environment, 'descriptor' | 'prompt'>;
}

export function speaking({
  url,
  entry = {},
  settings = {},
  checkpoint,
  environment = lake,
}: PolicyRequest): LanguagePolicy {
  const model = modelAt(url, { seeds: true, ...entry }, settings);
  return new LanguagePolicy({ model, environment, checkpoint: checkpoint ?? null });
}
