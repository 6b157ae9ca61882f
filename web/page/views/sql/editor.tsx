// The editor of a query: a plain text area until CodeMirror is loaded, so that typing never waits.
import { useEffect, useRef, useState } from 'preact/hooks';
import type { FaultPlace, SqlEditor, TableRow } from './code-mirror.ts';

export interface EditorHandle {
  insert(text: string): void;
  goTo(place: Pick<FaultPlace, 'line' | 'column'>): void;
  focus(): void;
}

/** A text that comes from elsewhere, such as the address; a new object replaces what was typed. */
export interface GivenText {
  readonly text: string;
}

interface EditorProps {
  /** What was typed. */
  readonly text: string;
  readonly given: GivenText;
  readonly onChange: (text: string) => void;
  readonly onRun: () => void;
  readonly tables: readonly TableRow[];
  readonly fault: FaultPlace | null;
  /** Gets the handle once the editor is there. */
  readonly handle: { current: EditorHandle | null };
}

export function Editor({ text, given, onChange, onRun, tables, fault, handle }: EditorProps) {
  const host = useRef<HTMLDivElement>(null);
  const area = useRef<HTMLTextAreaElement>(null);
  const [editor, setEditor] = useState<SqlEditor | null>(null);
  // The editor outlives a drawing, and calls what the latest one was given.
  const latest = useRef({ text, onChange, onRun });
  latest.current = { text, onChange, onRun };

  useEffect(() => {
    let opened: SqlEditor | null = null;
    let isLeft = false;
    void import('./code-mirror.ts').then(
      ({ openEditor }) => {
        const { current } = host;
        if (isLeft || current === null) return;
        const isFocused = document.activeElement === area.current;
        opened = openEditor({
          parent: current.shadowRoot ?? current.attachShadow({ mode: 'open' }),
          text: latest.current.text,
          onChange: (changed) => latest.current.onChange(changed),
          onRun: () => latest.current.onRun(),
        });
        if (isFocused) opened.focus();
        setEditor(opened);
      },
      // The text area stays.
      () => {},
    );
    return () => {
      isLeft = true;
      opened?.destroy();
    };
  }, []);

  useEffect(() => {
    // Never the typed text, which may be older than what the editor has by now.
    if (editor !== null && editor.text() !== given.text) editor.setText(given.text);
  }, [given]);
  useEffect(() => editor?.setTables(tables), [editor, tables]);
  useEffect(() => editor?.mark(fault), [editor, fault]);
  useEffect(() => {
    handle.current = editor ?? {
      insert: (added) => latest.current.onChange(`${latest.current.text}${added}`),
      goTo: () => area.current?.focus(),
      focus: () => area.current?.focus(),
    };
  }, [editor]);

  return (
    <div class="editor">
      {editor === null && (
        <textarea
          ref={area}
          aria-label="SQL query"
          spellcheck={false}
          placeholder="Type a query, for example: FROM runs"
          rows={6}
          value={text}
          onInput={(event) => onChange(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
            event.preventDefault();
            onRun();
          }}
        />
      )}
      <div ref={host} class="code-mirror" />
    </div>
  );
}
