// The editor of SQL: CodeMirror with the documented tables and columns to complete. It is in a shadow root, where CodeMirror's styles
// are adopted sheets, which the policy of the page allows; in the document they would be inline styles.
import { autocompletion, type CompletionSource, closeBrackets } from '@codemirror/autocomplete';
import { SQLDialect, type SQLNamespace, sql } from '@codemirror/lang-sql';
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { Compartment, Prec, StateEffect, StateField, type Text } from '@codemirror/state';
import { Decoration, type DecorationSet, keymap, lineNumbers, placeholder, WidgetType } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { EditorView, minimalSetup } from 'codemirror';
import type { ListTables } from '../../../../schemas/tables-output.ts';
import { editorTheme } from './theme.ts';

export type TableRow = ListTables['rows'][number];

/** Where a query is wrong. Both count from 1; a column is a character. */
export interface FaultPlace {
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

export interface SqlEditor {
  text(): string;
  setText(text: string): void;
  /** At the cursor, in place of the selection. */
  insert(text: string): void;
  setTables(tables: readonly TableRow[]): void;
  mark(place: FaultPlace | null): void;
  /** Puts the cursor there. */
  goTo(place: Pick<FaultPlace, 'line' | 'column'>): void;
  focus(): void;
  destroy(): void;
}

interface EditorOptions {
  readonly parent: ShadowRoot;
  readonly text: string;
  readonly onChange: (text: string) => void;
  readonly onRun: () => void;
}

export function openEditor({ parent, text, onChange, onRun }: EditorOptions): SqlEditor {
  const language = new Compartment();
  const run = (): boolean => {
    onRun();
    return true;
  };
  const view = new EditorView({
    doc: text,
    parent,
    extensions: [
      Prec.highest(keymap.of([{ key: 'Mod-Enter', run }])),
      minimalSetup,
      lineNumbers(),
      closeBrackets(),
      autocompletion({ icons: false }),
      placeholder('Type a query, for example: FROM runs'),
      language.of(languageOf([])),
      syntaxHighlighting(colours),
      faults,
      editorTheme,
      EditorView.lineWrapping,
      EditorView.contentAttributes.of({ 'aria-label': 'SQL query', 'aria-multiline': 'true' }),
      EditorView.updateListener.of((update) => {
        if (update.docChanged) onChange(update.state.doc.toString());
      }),
    ],
  });
  return {
    text: () => view.state.doc.toString(),
    setText: (changed) => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: changed } }),
    insert: (added) => view.dispatch(view.state.replaceSelection(added)),
    setTables: (tables) => view.dispatch({ effects: language.reconfigure(languageOf(tables)) }),
    mark: (place) => view.dispatch({ effects: showFault.of(place) }),
    goTo: (place) => {
      const at = offsetOf(view.state.doc, place);
      view.dispatch({ selection: { anchor: at }, scrollIntoView: true });
      view.focus();
    },
    focus: () => view.focus(),
    destroy: () => view.destroy(),
  };
}

/** DuckDB's reserved words and those that begin clauses. PostgreSQL's list would colour columns such as `family` and `valid`. */
const duckdb = SQLDialect.define({
  caseInsensitiveIdentifiers: true,
  doubleDollarQuotedStrings: true,
  operatorChars: '+-*/<>=~!@#%^&|`?:',
  keywords:
    'all and anti any as asc asof between by case cast collate columns cross cube cume_dist desc describe distinct else end ' +
    'escape except exclude exists false filter first following for from full group grouping having ilike in inner intersect ' +
    'interval into is isnull join lambda last lateral left like limit natural not notnull null nulls offset on or order outer ' +
    'over partition pivot positional preceding qualify range recursive replace right rollup rows sample select semi sets show ' +
    'similar some struct summarize table then to true unbounded union unpivot using values when where window with within',
  types:
    'bigint blob boolean date decimal double float hugeint integer interval json list map real smallint struct time timestamp ' +
    'timestamptz tinyint ubigint uhugeint uinteger usmallint utinyint uuid varchar',
});

function languageOf(tables: readonly TableRow[]) {
  const schema: SQLNamespace = Object.fromEntries(
    tables.map(({ name, meaning, columns }) => [
      name,
      {
        self: { label: name, type: 'table', info: meaning },
        children: columns.map((column) => ({
          label: column.name,
          type: 'column',
          detail: column.type,
          info: column.meaning,
        })),
      },
    ]),
  );
  const support = sql({ dialect: duckdb, schema, upperCaseKeywords: true });
  return [support, duckdb.language.data.of({ autocomplete: columnsInScope(tables) })];
}

/** The columns of every table that the query names; those after `table.` are completed by the schema. */
function columnsInScope(tables: readonly TableRow[]): CompletionSource {
  return (context) => {
    const word = context.matchBefore(/\w*/);
    if (word === null || (word.from === word.to && !context.explicit)) return null;
    if (context.state.sliceDoc(word.from - 1, word.from) === '.') return null;
    const words = new Set(context.state.doc.toString().toLowerCase().match(/\w+/g));
    const columns = new Map<string, { type: string; meaning: string; tables: string[] }>();
    for (const table of tables.filter(({ name }) => words.has(name.toLowerCase())))
      for (const { name, type, meaning } of table.columns) {
        const known = columns.get(name);
        if (known === undefined) columns.set(name, { type, meaning, tables: [table.name] });
        else known.tables.push(table.name);
      }
    const options = Array.from(columns, ([label, { type, meaning, tables: of }]) => ({
      ...{ label, type: 'column', detail: `${type} · ${of.join(', ')}`, info: meaning },
      // Before keywords and tables of similar names.
      boost: 50,
    }));
    return { from: word.from, options, validFor: /^\w*$/ };
  };
}

const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword], color: 'var(--series-1)', fontWeight: '600' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--series-4)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--series-2)' },
  { tag: tags.typeName, color: 'var(--series-7)' },
  { tag: tags.comment, color: 'var(--soft)', fontStyle: 'italic' },
]);

const showFault = StateEffect.define<FaultPlace | null>();

/** The marked place; any change of the query removes it. */
const faults = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marks, transaction) {
    for (const effect of transaction.effects)
      if (effect.is(showFault))
        return effect.value === null ? Decoration.none : marksOf(transaction.state.doc, effect.value);
    return transaction.docChanged ? Decoration.none : marks;
  },
  provide: (field) => EditorView.decorations.from(field),
});

function marksOf(doc: Text, place: FaultPlace): DecorationSet {
  const from = offsetOf(doc, place);
  const line = doc.lineAt(from);
  const [word = ''] = /^(?:"[^"]*"|'[^']*'|\w+|\S)/.exec(line.text.slice(from - line.from)) ?? [];
  const message = Decoration.widget({ widget: new Message(place), block: true, side: 1 }).range(line.to);
  const marked = word === '' ? [] : [Decoration.mark({ class: 'cm-fault' }).range(from, from + word.length)];
  return Decoration.set([Decoration.line({ class: 'cm-fault-line' }).range(line.from), ...marked, message], true);
}

/** A column counts characters, an offset UTF-16 units. */
function offsetOf(doc: Text, { line: number, column }: Pick<FaultPlace, 'line' | 'column'>): number {
  const line = doc.line(Math.max(1, Math.min(number, doc.lines)));
  const before = [...line.text].slice(0, Math.max(0, column - 1)).join('');
  return line.from + before.length;
}

/** What is wrong, below the line; the alert below the editor says it to screen readers. */
class Message extends WidgetType {
  readonly #place: FaultPlace;

  constructor(place: FaultPlace) {
    super();
    this.#place = place;
  }

  override eq(other: Message): boolean {
    return other.#place.message === this.#place.message;
  }

  override toDOM(): HTMLElement {
    const element = document.createElement('div');
    element.className = 'cm-fault-message';
    element.setAttribute('aria-hidden', 'true');
    element.textContent = this.#place.message;
    return element;
  }
}
