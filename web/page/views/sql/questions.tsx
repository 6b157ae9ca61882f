// The questions of the cookbook, with the run that they are asked about.

import { useState } from 'preact/hooks';
import type { RunsResult } from '../../../../schemas/run-output.ts';
import type { SqlRecipes } from '../../../../schemas/sql-output.ts';
import { useAnswer } from '../../api.ts';
import { Answered, Plain } from '../../parts.tsx';
import { sqlText } from '../../place.ts';

export function Questions({ onRun }: { readonly onRun: (sql: string) => void }) {
  const recipes = useAnswer<SqlRecipes>('/recipes');
  const runs = useAnswer<RunsResult>('/runs?limit=200');
  const [chosen, setChosen] = useState<string | null>(null);
  const [stage, setStage] = useState('');
  const names = runs.value?.rows.map(({ name }) => name) ?? [];
  const run = chosen ?? names[0] ?? '';
  return (
    <Answered answer={recipes} what="the questions">
      {({ rows }) => (
        <>
          <div class="controls">
            <label>
              Run
              <select value={run} onChange={(event) => setChosen(event.currentTarget.value)}>
                {names.map((name) => (
                  <option key={name} value={name}>
                    {name}
                  </option>
                ))}
              </select>
            </label>
            <label>
              Stage
              <input
                class="stage"
                type="number"
                min={1}
                placeholder="last"
                value={stage}
                onInput={(event) => setStage(event.currentTarget.value)}
              />
            </label>
          </div>
          <ul class="queries">
            {rows.map(({ name, question, sql }) => (
              <li key={name}>
                <button
                  type="button"
                  // Without a run, a question would find nothing.
                  disabled={runs.state === 'loading'}
                  onClick={() => onRun(filled(sql, run, stage))}
                >
                  <Plain text={question} />
                </button>
              </li>
            ))}
          </ul>
        </>
      )}
    </Answered>
  );
}

/** As `icecore sql --recipe NAME RUN@STAGE` fills in a question; without a stage it is about the last one. */
function filled(sql: string, run: string, stage: string): string {
  const name = sqlText(run);
  const last = `(SELECT max(stage) FROM stages WHERE run = ${name})`;
  const number = /^[1-9]\d{0,8}$/.test(stage) ? stage : last;
  return sql.replaceAll("'RUN'", () => name).replaceAll(/\bSTAGE\b/g, () => number);
}
