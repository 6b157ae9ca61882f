// An ablation as one HTML file that needs nothing else, told as it is on a terminal, with drawings.
import type { Ablated } from '../../../../schemas/ablation-output.ts';
import { type Chart, picturesOf } from '../../../analysis/ablation/page.ts';
import { type Block, paragraph, type Section, soft, warning } from '../../../analysis/report/document.ts';
import { htmlPage } from '../../../analysis/report/html/page.ts';
import { gap, type Part } from '../../output/page/page.ts';
import { ablatedPage } from './page.ts';
import { picturedIn } from './pictured.ts';

interface Drawing {
  readonly chart: Chart | null;
  /** Whether the figures of the table are drawn. */
  readonly isWhole: boolean;
}

export function ablatedHtml(ablated: Ablated): string {
  const { title, sections } = ablatedPage(ablated);
  const { matrix, intervals } = picturesOf(picturedIn(ablated));
  const drawings: ReadonlyMap<string, Drawing> = new Map([
    ['matrix', { chart: matrix, isWhole: matrix !== null }],
    ['beside', { chart: null, isWhole: matrix !== null }],
    ['arms', { chart: intervals, isWhole: false }],
  ]);
  const [before = [], ...told] = inSections(sections.flat().filter((part) => part !== gap));
  const document = {
    title,
    subtitle: '',
    made: madeText(ablated),
    blocks: before.flatMap((part) => blocksOf(part, title, drawings)),
    sections: told.flatMap((parts, i): Section[] => {
      const [head, ...rest] = parts;
      if (head?.kind !== 'heading') return [];
      const blocks = rest.flatMap((part) => blocksOf(part, head.text, drawings));
      return [{ id: `section-${i + 1}`, title: head.text, blocks, sections: [] }];
    }),
  };
  return htmlPage(document, {
    generator: `icecore ablate of ${ablated.ablation}`,
    tab: `${title}: icecore ablate`,
  });
}

function madeText({ ablation, at, ledger }: Ablated): string {
  return `icecore ablate: ${ablation}${at === null ? '' : `, ${at}`}, of ${ledger}`;
}

/** What is before the first heading, and then heading by heading. */
function inSections(parts: readonly Part[]): readonly (readonly Part[])[] {
  const sections: Part[][] = [[]];
  for (const part of parts) {
    if (part.kind === 'heading') sections.push([]);
    sections.at(-1)?.push(part);
  }
  return sections;
}

function blocksOf(part: Part, caption: string, drawings: ReadonlyMap<string, Drawing>): readonly Block[] {
  switch (part.kind) {
    case 'heading':
      return [];
    case 'text': {
      const tones = { plain: (text: string) => text, quiet: soft, warning };
      return [paragraph(tones[part.tone](part.text))];
    }
    case 'list':
      return [{ kind: part.tone === 'warning' ? 'warnings' : 'list', items: part.items.map((item) => [item]) }];
    case 'code':
      return [{ kind: 'code', text: part.text }];
    case 'table':
      return tableBlocks(part, caption, part.drawn === undefined ? undefined : drawings.get(part.drawn));
  }
}

function tableBlocks(
  { columns }: Extract<Part, { kind: 'table' }>,
  caption: string,
  drawing: Drawing | undefined,
): readonly Block[] {
  const rows = columns[0]?.cells.map((_, i) => columns.map(({ cells }) => cells[i] ?? '')) ?? [];
  const table = { columns: columns.map(({ title }) => title), rows };
  const wraps = columns.at(-1)?.wraps === true ? ({ wraps: true } as const) : {};
  const chart = drawing?.chart ?? null;
  return [
    ...(chart === null ? [] : [{ kind: 'charts', charts: [chart] } as const]),
    ...(drawing?.isWhole === true ? [] : [{ kind: 'table', table, caption, isFolded: false, ...wraps } as const]),
  ];
}
