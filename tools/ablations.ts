// Updates the tables of docs/ablation.md from the results stored next to it: the values of each arm and seed, and the conclusions from them. Given
// the output of `icecore ablate --json`, it first stores that, without data that no table shows:
//   node tools/ablations.ts contexts=FILE to-the-end=FILE
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Ablated } from '../schemas/ablation-output.ts';
import { contrastsAmong, declaredContrasts, ofMeasures, testedBy } from '../src/analysis/ablation/conclude.ts';
import { conclusionOf } from '../src/analysis/ablation/statistics/conclusions.ts';
import { ablationDocument } from '../src/analysis/ablation/view/document.ts';
import { markdownText } from '../src/document/markdown.ts';

export const page = fileURLToPath(new URL('../docs/ablation.md', import.meta.url));

/** The stored results of a name; null if there are none. */
export function keptAs(name: string): Ablated | null {
  const path = pathOf(name);
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Ablated) : null;
}

function pathOf(name: string): string {
  return fileURLToPath(new URL(`../docs/ablation/${name}.json`, import.meta.url));
}

const block = /^<!-- results of ([\w-]+) -->\n[\s\S]*?^<!-- \/results -->$/gm;

/** The names of the results that the page shows. */
export function namesIn(text: string): readonly string[] {
  return [...text.matchAll(block)].map(([, name = '']) => name);
}

/** The page with its tables updated. */
export function withTables(text: string): string {
  return text.replace(block, (before: string, name: string) => {
    const kept = keptAs(name);
    return kept === null ? before : `<!-- results of ${name} -->\n${tablesOf(kept)}<!-- /results -->`;
  });
}

/** The parts up to the results of the arms; decisions knob by knob are in the ledger. */
const shown = 5;

function tablesOf(kept: Ablated): string {
  const { sections } = ablationDocument(kept);
  // The page has its own headings, so these become deeper.
  const text = markdownText({ title: null, blocks: [], sections: sections.slice(0, shown) });
  return text.replaceAll(/^##+ (.*)$/gm, '**$1**');
}

/** Recomputes the conclusions from the values of each arm and seed. */
export function concludedFrom(kept: Ablated): Pick<Ablated, 'results' | 'comparisons' | 'conclusions'> {
  const { depth, arms, units, values, measures, contrasts, level, margin, histories, likeness, preset } = kept;
  const { results, comparisons, says } = conclusionOf({
    ...{ depth, arms, values, level, margin },
    ...ofMeasures(measures),
    units: units.map(({ unit }) => unit),
    runs: histories.length,
    tested: testedBy(contrasts),
    declared: declaredContrasts(contrasts, arms),
    contrasts: contrastsAmong({ arms, declared: contrasts, preset, depth }),
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
  const text = readFileSync(page, 'utf8');
  const printed = new Map(process.argv.slice(2).map((word) => word.split('=') as [string, string]));
  for (const name of namesIn(text)) {
    const file = printed.get(name);
    const ablated = file === undefined ? keptAs(name) : (JSON.parse(readFileSync(file, 'utf8')) as Ablated);
    if (ablated !== null) keep(name, ablated);
  }
  writeFileSync(page, withTables(text));
}
