// What is to be generated, in words that can be handed to a thread.
import type { Split } from '../../environments/environment.ts';
import type { LakeConfiguration } from '../configuration.ts';
import { type Batch, batchOf } from '../generator/generate.ts';
import { probeBatch } from '../generator/probe.ts';
import { type SuiteLayout, suiteBatch } from '../generator/suites.ts';

export type GenerateRequest =
  | {
      readonly kind: 'configuration';
      readonly configuration: LakeConfiguration;
      readonly count: number;
      readonly split: Split;
      readonly seed: string;
    }
  | {
      readonly kind: 'probe';
      readonly agents: number;
      readonly perKind: number;
      readonly split: Split;
      readonly seed: string;
    }
  | { readonly kind: 'suite'; readonly suite: SuiteLayout };

export function batchFor(request: GenerateRequest): Batch {
  switch (request.kind) {
    case 'configuration':
      return batchOf(request.configuration, request.count, request);
    case 'probe':
      return probeBatch(request.agents, request.perKind, request);
    case 'suite':
      return suiteBatch(request.suite);
  }
}

/** How many instances are asked for. */
export function countOf(request: GenerateRequest): number {
  return batchFor(request).orders.reduce((sum, { count }) => sum + count, 0);
}

/** Instances are numbered after this. */
export function nameOf(request: GenerateRequest): string {
  return request.kind === 'suite' ? request.suite.name : request.split;
}
