// Writes the tables of docs/ablation.md anew from the results that are kept beside it. Given what `icecore ablate --json`
// printed, it keeps that first, without what no table shows: node tools/ablations.ts contexts=FILE to-the-end=FILE
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Ablated } from '../schemas/ablation-output.ts';
import { ablatedPage } from '../src/cli/ablate/shown/page.ts';
import { markdownText } from '../src/cli/output/page/markdown.ts';

export const page = fileURLToPath(new URL('../docs/ablation.md', import.meta.url));

/** What was kept under a name; null where nothing was. */
export function keptAs(name: string): Ablated | null {
  const path = pathOf(name);
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Ablated) : null;
}

function pathOf(name: string): string {
  return fileURLToPath(new URL(`../docs/ablation/${name}.json`, import.meta.url));
}

const block = /^<!-- results of ([\w-]+) -->\n[\s\S]*?^<!-- \/results -->$/gm;

/** The names of what the page shows tables of. */
export function namesIn(text: string): readonly string[] {
  return [...text.matchAll(block)].map(([, name = '']) => name);
}

/** The page with its tables as they come from what is kept. */
export function withTables(text: string): string {
  return text.replace(block, (before: string, name: string) => {
    const kept = keptAs(name);
    return kept === null ? before : `<!-- results of ${name} -->\n${tablesOf(kept)}<!-- /results -->`;
  });
}

/** Up to what the arms came to: what they decided, knob by knob, is in the ledger. */
const shown = 5;

function tablesOf(kept: Ablated): string {
  const { title, sections } = ablatedPage(kept);
  const [, ...lines] = markdownText({ title, sections: sections.slice(0, shown) }).split('\n');
  // A page has one title, and these are parts of it.
  return lines
    .join('\n')
    .trimStart()
    .replaceAll(/^## (.*)$/gm, '**$1**');
}

function keep(name: string, file: string): void {
  const { decisions: _, trainings: __, ...ablated } = JSON.parse(readFileSync(file, 'utf8')) as Ablated;
  const kept = { ...ablated, ledger: 'sqlite:.icecore/ledger.db', decisions: [], trainings: [] };
  writeFileSync(pathOf(name), `${JSON.stringify(kept)}\n`);
}

if (import.meta.main) {
  for (const word of process.argv.slice(2)) {
    const [name = '', file = ''] = word.split('=');
    keep(name, file);
  }
  writeFileSync(page, withTables(readFileSync(page, 'utf8')));
}
