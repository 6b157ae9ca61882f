// Regenerates the tables of ablations in the documentation from the stored results: the result of each arm with each seed, and the
// conclusions from these. Given outputs of `icecore ablate --json`, it first stores them, without the fields that no table shows:
// node tools/ablations.ts contexts=FILE to-the-end=FILE
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Ablated } from '../schemas/ablation-output.ts';
import { contrastsAmong, declaredContrasts, ofMeasures, testedBy } from '../src/analysis/ablation/conclude.ts';
import { conclusionOf } from '../src/analysis/ablation/statistics/conclusions.ts';
import { ablationAnswer } from '../src/analysis/ablation/view/answer.ts';
import { matrixSection } from '../src/analysis/ablation/view/matrix.ts';
import { paragraph } from '../src/document/document.ts';
import { markdownText } from '../src/document/markdown.ts';
import { standingsOf } from '../web/charts/standings.ts';

export const pages: readonly string[] = ['ablation', 'controls'].map((name) =>
  fileURLToPath(new URL(`../docs/${name}.md`, import.meta.url)),
);

/** The stored results of a name; null if there are none. */
export function keptAs(name: string): Ablated | null {
  const path = pathOf(name);
  if (!existsSync(path)) return null;
  const stored = JSON.parse(readFileSync(path, 'utf8')) as Omit<Ablated, 'factors'> & Partial<Pick<Ablated, 'factors'>>;
  return { ...stored, factors: stored.factors ?? [] };
}

function pathOf(name: string): string {
  return fileURLToPath(new URL(`../docs/ablation/${name}.json`, import.meta.url));
}

const block = /^<!-- results of ([\w-]+) -->\n[\s\S]*?^<!-- \/results -->$/gm;

/** The names of the results on the page. */
export function namesIn(text: string): readonly string[] {
  return [...text.matchAll(block)].map(([, name = '']) => name);
}

/** The page with tables from the stored results. */
export function withTables(text: string): string {
  return text.replace(block, (before: string, name: string) => {
    const kept = keptAs(name);
    return kept === null ? before : `<!-- results of ${name} -->\n${tablesOf(kept)}<!-- /results -->`;
  });
}

/** The answer, and the matrix of all arms. */
function tablesOf(kept: Ablated): string {
  const { title, blocks, sections } = ablationAnswer(kept);
  const standings = standingsOf(kept);
  const matrix = standings === null ? [] : [matrixSection(kept, standings)];
  // The page has its own headings.
  const answer = [paragraph(title ?? ''), ...blocks];
  const text = markdownText({ title: null, blocks: answer, sections: [...sections.slice(0, 1), ...matrix] });
  return text.replaceAll(/^##+ (.*)$/gm, '**$1**');
}

/** The conclusions, from the result of each arm with each seed. */
export function concludedFrom(kept: Ablated): Pick<Ablated, 'results' | 'comparisons' | 'conclusions'> {
  const { depth, arms, units, values, measures, contrasts, level, margin, histories, likeness, preset, factors } = kept;
  const { results, comparisons, says } = conclusionOf({
    ...{ depth, arms, values, level, margin },
    ...ofMeasures(measures),
    units: units.map(({ unit }) => unit),
    runs: histories.length,
    tested: testedBy(contrasts),
    declared: declaredContrasts(contrasts, arms),
    contrasts: contrastsAmong({ arms, declared: contrasts, preset, depth, ...(factors.length > 0 ? { factors } : {}) }),
    same: likeness.filter(({ same }) => same).map(({ arm, other }) => [arm, other] as const),
  });
  return { results, comparisons, conclusions: says };
}

function keep(name: string, ablated: Ablated): void {
  const kept = {
    ...ablated,
    ...concludedFrom(ablated),
    ledger: 'sqlite:.icecore/ledger.db',
    decisions: [],
    trainings: [],
  };
  writeFileSync(pathOf(name), `${JSON.stringify(kept)}\n`);
}

if (import.meta.main) {
  const printed = new Map(process.argv.slice(2).map((word) => word.split('=') as [string, string]));
  for (const page of pages) {
    const text = readFileSync(page, 'utf8');
    for (const name of namesIn(text)) {
      const file = printed.get(name);
      const ablated = file === undefined ? keptAs(name) : (JSON.parse(readFileSync(file, 'utf8')) as Ablated);
      if (ablated !== null) keep(name, ablated);
    }
    writeFileSync(page, withTables(text));
  }
}
