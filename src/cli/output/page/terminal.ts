// A page on a terminal, in tables that fit its width.
import type { Context } from '../../context.ts';
import { paragraph } from '../../runs/section.ts';
import { table } from '../table.ts';
import { visible, visibleLines } from '../visible.ts';
import { displayWidth, fitted } from '../width.ts';
import type { Column, Page, Part } from './page.ts';

type Surroundings = Pick<Context, 'paint' | 'io'>;

export function terminalText(context: Surroundings, { title, sections }: Page): string {
  const head = paragraph(context, visible(title), context.paint.bold);
  return [head, ...sections.map((parts) => parts.map((part) => partText(context, part)).join(''))]
    .filter((text) => text !== '')
    .join('\n');
}

function partText(context: Surroundings, part: Part): string {
  const { paint } = context;
  switch (part.kind) {
    case 'heading':
      return paragraph(context, visible(part.text), paint.bold);
    case 'text': {
      const tones = { plain: (text: string) => text, quiet: paint.dim, warning: paint.yellow };
      return paragraph(context, visible(part.text), tones[part.tone]);
    }
    case 'list': {
      const tone = part.tone === 'warning' ? paint.yellow : undefined;
      return part.items.map((item) => paragraph(context, `- ${visible(item)}`, tone)).join('');
    }
    case 'code':
      return visibleLines(part.text)
        .replaceAll(/^(?=.)/gm, '  ')
        .concat('\n');
    case 'table':
      return `${tablesText(context, part)}${paragraphOr(context, part.legend)}`;
  }
}

function paragraphOr(context: Surroundings, legend: string | undefined): string {
  return legend === undefined ? '' : paragraph(context, visible(legend), context.paint.dim);
}

function tablesText({ io }: Surroundings, { columns, repeats }: Extract<Part, { kind: 'table' }>): string {
  const cut = columns.map((column) => cutColumn(column, io.stdout.isTTY));
  const parts = repeats && io.stdout.isTTY ? packed(cut, io.stdout.columns) : [cut];
  return parts
    .map((some) => {
      const rows = some[0]?.cells.map((_, i) => some.map(({ cells }) => cells[i] ?? '')) ?? [];
      return table(some, rows, io.stdout);
    })
    .join('\n');
}

function cutColumn(column: Column, isCut: boolean): Column {
  const { title, cells, most } = column;
  const shown = (text: string): string => (isCut && most !== undefined ? fitted(visible(text), most) : visible(text));
  return { ...column, title: shown(title), cells: cells.map(shown) };
}

const gap = 2;

/** As many in a table as there is room for, each after the first column, which says whose row it is. */
function packed([first, ...others]: readonly Column[], room: number): readonly (readonly Column[])[] {
  if (first === undefined) return [];
  const tables: Column[][] = [[first]];
  let left = room - widthOf(first);
  for (const column of others) {
    if (left < gap + widthOf(column) && tables.at(-1)?.length !== 1) {
      tables.push([first]);
      left = room - widthOf(first);
    }
    tables.at(-1)?.push(column);
    left -= gap + widthOf(column);
  }
  return tables;
}

function widthOf({ title, cells }: Column): number {
  return Math.max(...[title, ...cells].map(displayWidth));
}
