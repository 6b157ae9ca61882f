// The notebooks of examples/notebooks as files: their cells, outputs, and the tables in these.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const folder: string = fileURLToPath(new URL('../../examples/notebooks/', import.meta.url));
export const names: readonly string[] = ['curriculum.ipynb', 'decisions.ipynb'];

export function pathOf(name: string): string {
  return join(folder, name);
}

type Text = string | readonly string[];

interface Output {
  readonly output_type: string;
  readonly text?: Text;
  readonly data?: Readonly<Record<string, Text>>;
}

interface Cell {
  readonly cell_type: string;
  readonly source: Text;
  readonly outputs?: readonly Output[];
  readonly execution_count?: number | null;
}

export interface Notebook {
  readonly cells: readonly Cell[];
  readonly metadata: { readonly kernelspec: { readonly name: string } };
}

export function notebookIn(path: string): Notebook {
  return JSON.parse(readFileSync(path, 'utf8')) as Notebook;
}

export function isInPython({ metadata }: Notebook): boolean {
  return metadata.kernelspec.name === 'python3';
}

function whole(text: Text): string {
  return typeof text === 'string' ? text : text.join('');
}

/** The outputs of the cells as text, cell by cell. */
export function textsOf({ cells }: Notebook): readonly (readonly string[])[] {
  return cells.map(({ outputs = [] }) => outputs.map(({ text, data }) => whole(text ?? data?.['text/plain'] ?? '')));
}

/** The outputs of the cells without what differs every time: ids of events, and the bytes of pictures. */
export function alike({ cells }: Notebook): readonly unknown[] {
  return cells.map(({ outputs = [] }) =>
    outputs.map(({ text, data = {} }) => textParts({ ...data, ...(text && { text }) })),
  );
}

function textParts(parts: Readonly<Record<string, Text>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(parts).map(([type, text]) => [
      type,
      type === 'image/png' ? 'a picture' : whole(text).replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'ID'),
    ]),
  );
}

/** A notebook with the outputs of another one with the same cells. */
export function withOutputs(notebook: Notebook, { cells: executed }: Notebook): Notebook {
  const cells = notebook.cells.map((cell, i) => {
    const { outputs, execution_count = null } = executed[i] ?? {};
    return outputs === undefined ? cell : { ...cell, execution_count, outputs };
  });
  return { ...notebook, cells };
}

export type Row = Readonly<Record<string, string>>;

/** The rows of a table, as printed by polars or in Markdown; empty for other outputs. */
export function tableIn(text: string): readonly Row[] {
  const lines = text.split('\n').filter((line) => /^[│|]/.test(line) && !/^\| ---/.test(line));
  const [columns = [], ...rows] = lines.map((line) =>
    line
      .slice(1, -1)
      .split(/[┆|]/)
      .map((cell) => cell.trim()),
  );
  return rows.map((cells) => Object.fromEntries(columns.map((column, i) => [column, cells[i] ?? ''])));
}
