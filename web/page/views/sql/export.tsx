// A result as a file: CSV and JSON of the rows that are shown, Arrow of all rows.

import { useState } from 'preact/hooks';
import type { SqlResult } from '../../../../schemas/sql-output.ts';
import { download } from '../../api.ts';
import { CopyLine } from '../../menu.tsx';
import { Failed } from '../../parts.tsx';
import { shellWord } from '../../place.ts';
import { csvText } from './values.ts';

export function Export({ sql, answer }: { readonly sql: string; readonly answer: SqlResult }) {
  const [state, setState] = useState<'ready' | 'loading'>('ready');
  const [fault, setFault] = useState<unknown>(null);
  const { columns, rows, truncated } = answer;
  const arrow = async (): Promise<void> => {
    setState('loading');
    setFault(null);
    try {
      save('query.arrow', await download('/sql?format=arrow', { type: 'application/sql', text: sql }));
    } catch (failed) {
      setFault(failed);
    }
    setState('ready');
  };
  return (
    <div class="export">
      <fieldset>
        <legend class="hidden">Export the result</legend>
        <button
          type="button"
          onClick={() => save('query.csv', new Blob([csvText(columns, rows)], { type: 'text/csv' }))}
        >
          CSV
        </button>
        <button
          type="button"
          onClick={() => save('query.json', new Blob([JSON.stringify(rows)], { type: 'application/json' }))}
        >
          JSON
        </button>
        <button type="button" disabled={state === 'loading'} onClick={() => void arrow()}>
          {state === 'loading' ? 'Arrow …' : 'Arrow'}
        </button>
      </fieldset>
      {truncated && (
        <p class="quiet">
          CSV and JSON have the rows that are shown; Arrow and the command have all rows:{' '}
          <CopyLine text={`icecore sql ${shellWord(sql)} --format csv`} what="command" />
        </p>
      )}
      {fault !== null && <Failed fault={fault} />}
    </div>
  );
}

function save(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The browser has begun to read it by then.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
