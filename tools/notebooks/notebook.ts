// The notebooks of examples/notebooks as files: their cells, what is kept of their outputs, and the tables in these.
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

/** What the cells show, cell by cell and as text. */
export function textsOf({ cells }: Notebook): readonly (readonly string[])[] {
  return cells.map(({ outputs = [] }) => outputs.map(({ text, data }) => whole(text ?? data?.['text/plain'] ?? '')));
}

/** What the cells show, without what is another one every time: the ids of events, and the bytes of pictures. */
export function alike({ cells }: Notebook): readonly unknown[] {
  return cells.map(({ outputs = [] }) =>
    outputs.map(({ text, data = {} }) => shown({ ...data, ...(text && { text }) })),
  );
}

function shown(parts: Readonly<Record<string, Text>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(parts).map(([type, text]) => [
      type,
      type === 'image/png' ? 'a picture' : whole(text).replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'ID'),
    ]),
  );
}

/** A notebook with the outputs of another one that has the same cells. */
export function withOutputs(notebook: Notebook, { cells: executed }: Notebook): Notebook {
  const cells = notebook.cells.map((cell, i) => {
    const { outputs, execution_count = null } = executed[i] ?? {};
    return outputs === undefined ? cell : { ...cell, execution_count, outputs };
  });
  return { ...notebook, cells };
}

export type Row = Readonly<Record<string, string>>;

/** The rows of a table, as polars or Markdown write it; empty where a cell shows something else. */
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
