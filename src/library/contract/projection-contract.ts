// The contract of plugin tables: their rows do not depend on how they were filled.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { OwnData } from '../../../schemas/define-event.ts';
import type { DataSchema, EventType } from '../../../schemas/family.ts';
import { openWorkspace } from '../open.ts';
import type { ProjectionEntry } from '../plugins/projection.ts';

/** `all`: data of some events of the type, in which every field of the table has a value at least once. */
export function projectionContract<Type extends EventType<DataSchema>>(
  projection: ProjectionEntry,
  from: Type,
  all: readonly OwnData<Type>[],
): void {
  const [first, ...others] = all.map((data) => ({
    ...{ type: from.type, actor: 'producer/contract', at: '2026-01-01T00:00:00Z' },
    data: data as Record<string, unknown>,
  }));
  const sql = `SELECT * EXCLUDE (id) FROM "${projection.table}" ORDER BY revision`;

  describe(`the projection contract: ${projection.table}`, () => {
    it('has a row for each event, the same whether filled at once, one by one or rebuilt', async () => {
      const cwd = mkdtempSync(join(tmpdir(), 'icecore-projection-'));
      onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
      const env = { XDG_CONFIG_HOME: cwd, ICECORE_TABLES: join(cwd, 'tables') };
      const plugins = [{ name: 'contract', events: [from], projections: [projection] }];
      await using workspace = await openWorkspace({ cwd, env, plugins });
      if (first === undefined) throw new Error('at least one event is needed');
      await workspace.append('x-contract', [first]);
      expect(await workspace.sql(sql)).toHaveLength(1);
      await workspace.append('x-contract', others);
      const rows = await workspace.sql(sql);
      expect(rows).toHaveLength(all.length);
      await workspace.refresh({ rebuild: true });
      expect(await workspace.sql(sql)).toEqual(rows);
      const empty = projection.columns.filter(({ name }) => rows.every((row) => row[name] === null));
      expect(empty.map(({ name }) => name)).toEqual([]);
    });
  });
}
