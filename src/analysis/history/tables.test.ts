// Commands fold the stream of a run, SQL queries read tables: both agree.
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from '../../../schemas/canonical.ts';
import type { RunRow, StageRow } from '../../../schemas/run-output.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { readRun } from '../../producers/history/reading.ts';
import { project } from '../../projections/projector/projector.ts';
import { inLedger } from '../../projections/testing/folded.ts';
import { randomHistory } from '../../projections/testing/random-history.ts';
import { hold } from '../../projections/warehouse/holding.ts';
import { listRuns } from './runs.ts';
import { stageRow } from './stages.ts';

type Row = Readonly<Record<string, unknown>>;

describe('runs of random histories', () => {
  it('are the same folded from their streams as in SQL tables', async () => {
    const property = fc.asyncProperty(randomHistory(), async (world) => {
      await inLedger(world, async (ledger, folder) => {
        const { path } = await project(ledger, join(folder, 'ledger.tables'));
        const held = await hold(path, { access_mode: 'READ_ONLY' });
        try {
          const connection = await held.connect();
          await agree(ledger, async (sql) => (await connection.runAndReadAll(sql)).getRowObjectsJS());
        } finally {
          held.release();
        }
      });
    });
    // The time limit for shrinking a failure.
    await fc.assert(property, { numRuns: 1, interruptAfterTimeLimit: 40_000, markInterruptAsFailure: true });
  });
});

async function agree(ledger: Ledger, ask: (sql: string) => Promise<readonly Row[]>): Promise<void> {
  const [runs, stages, changes, pooled] = await Promise.all([
    ask('SELECT * FROM runs'),
    ask('SELECT * FROM stages'),
    ask('SELECT * FROM knob_changes'),
    ask('SELECT * FROM curriculum WHERE family IS NULL'),
  ]);
  const { rows } = await listRuns(ledger, { limit: runs.length });
  for (const shown of rows) {
    const row = runs.find(({ run_id }) => run_id === shown.run);
    expect(comparable(ofRun(shown))).toBe(comparable(pick(row, Object.keys(ofRun(shown)))));
    const read = await readRun(ledger, shown);
    for (const history of read.stages) {
      const shown = stageRow(read, history);
      if (shown.isShared) continue;
      const isIts = ({ run_id, stage }: Row) => run_id === read.run && stage === BigInt(shown.stage);
      const { alerts, ...row }: Row = { ...pooled.find(isIts), ...stages.find(isIts) };
      const raised = (alerts as readonly Row[]).map((one) => pick(one, ['kind', 'family', 'measure']));
      const result = ofStage(shown);
      expect(comparable(result)).toBe(
        comparable({ ...pick(row, Object.keys(result)), state: row['state'] === 'completed', alerts: raised }),
      );
      // A proposal that was not adopted changes nothing.
      if (shown.decision.adopted === null) continue;
      const differing = changes.filter(isIts).map((one) => pick(one, changed));
      expect(inOrder(shown.decision.changes.map(ofChange))).toEqual(inOrder(differing));
    }
  }
}

function ofRun({ environment, engineer, form, planned, done, state, validation }: RunRow): Row {
  const { valid, optimal, stage: validated } = validation ?? {};
  return {
    environment,
    engineer,
    context_form: form,
    planned,
    done,
    state,
    validated,
    valid: valid?.value,
    valid_low: valid?.low,
    valid_high: valid?.high,
    optimal: optimal?.value,
  };
}

function ofStage({ isOver, configuration, valid, optimal, decision, signal, failures, alerts }: StageRow): Row {
  return {
    state: isOver,
    configuration,
    valid: valid.value,
    valid_low: valid.low,
    valid_high: valid.high,
    optimal: optimal.value,
    decided_by: decision.by,
    adoption: decision.adopted,
    ...(decision.adopted === null ? {} : { engineer: decision.who }),
    learning_signal: signal,
    failure_class: failures[0]?.class,
    failures: failures[0]?.count,
    alerts: alerts.map(({ kind, family, measure }) => ({ kind, family, measure })),
  };
}

const changed = ['knob', 'family', 'from_value', 'to_value', 'steps', 'cites', 'reason'];

function ofChange({ knob, family, from, to, steps, cites, reason }: StageRow['decision']['changes'][number]): Row {
  return { knob, family, from_value: from, to_value: to, steps, cites, reason };
}

function pick(row: Row | undefined, columns: readonly string[]): Row {
  return Object.fromEntries(columns.map((column) => [column, row?.[column] ?? null]));
}

function inOrder(rows: readonly Row[]): string[] {
  return rows.map(comparable).sort();
}

/** Rounded, because sums in another order differ in their last digits; alerts have no defined order. */
function comparable(row: Row): string {
  const cell = (value: unknown): unknown => {
    if (typeof value === 'bigint') return cell(Number(value));
    if (typeof value === 'number') return Number.isSafeInteger(value) ? value : Number(value.toPrecision(9));
    if (Array.isArray(value)) return value.map((one: unknown) => canonicalJson(cell(one))).sort();
    if (typeof value !== 'object' || value === null) return value ?? null;
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, cell(one)]));
  };
  return canonicalJson(cell(row));
}
