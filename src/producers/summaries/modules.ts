// The context modules that summarise a stage. To add one based on rollouts: a file with its meaning, counts and sheet,
// and a line here.
import type { Descriptor } from '../../../schemas/environment.ts';
import { escapeControlsInLines } from '../../base/escape.ts';
import { behaviourModule } from './behaviour.ts';
import { failuresModule } from './failures.ts';
import { indented } from './figures.ts';
import type { Sheet } from './sheet.ts';
import { statsModule } from './stats.ts';
import type { EvidenceModule, Recorded } from './summary.ts';
import { trainingSheet } from './training.ts';

export const evidenceModules = {
  stats: statsModule,
  behaviour: behaviourModule,
  failures: failuresModule,
} as const satisfies Readonly<Record<string, EvidenceModule>>;

export type EvidenceModuleName = keyof typeof evidenceModules;

/** In display order. */
export const evidenceModuleMeanings = Object.fromEntries(
  Object.entries(evidenceModules).map(([name, { meaning }]) => [name, meaning]),
) as Readonly<Record<EvidenceModuleName, string>>;

export function isEvidenceModule(module: string): module is EvidenceModuleName {
  return Object.hasOwn(evidenceModules, module);
}

export type SummaryModule = EvidenceModuleName | 'training';

/** The modules of every stage, in the order of computation. */
export const summaryModules: readonly SummaryModule[] = [
  ...(Object.keys(evidenceModules) as EvidenceModuleName[]),
  'training',
];

/** Depends only on the recorded summary. `text` is the model's text of a self-summary. */
export function sheetOf(descriptor: Descriptor, summary: Recorded, text: string | null = null): Sheet {
  const { module } = summary;
  if (isEvidenceModule(module)) return evidenceModules[module].sheet(descriptor, summary);
  return module === 'training' ? trainingSheet(summary) : narrativeSheet(summary, text);
}

function narrativeSheet({ module }: Recorded, text: string | null): Sheet {
  const paragraphs = paragraphsIn(text ?? '');
  if (paragraphs.length === 0) return { module, opening: ['It said nothing.'], parts: [] };
  const items = paragraphs.map((lines, i) => {
    const evidenceId = `N${i + 1}`;
    return { evidenceIds: [evidenceId], lines: [evidenceId, ...indented(lines)] };
  });
  const opening = ['The policy wrote this about itself. It may be wrong.'];
  return { module, opening, parts: [{ kind: 'paragraphs', title: '', items }] };
}

function paragraphsIn(text: string): string[][] {
  return escapeControlsInLines(text)
    .split(/\n\s*\n/)
    .map((paragraph) => paragraph.split('\n').filter((line) => line.trim() !== ''))
    .filter((lines) => lines.length > 0);
}
