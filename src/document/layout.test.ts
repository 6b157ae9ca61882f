// Tables on terminals of any width: no line is too long, and no number is cut.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tries } from '../../schemas/testing/tries.ts';
import { displayWidth } from '../base/terminal.ts';
import { type Column, table } from './layout.ts';

const name = fc.integer({ min: 1, max: 30 }).map((length) => 'abcdefghij'.repeat(3).slice(0, length));
const number = fc.integer({ min: 1, max: 20 }).map((length) => '1234567890'.repeat(2).slice(0, length));

interface TableCase {
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly string[])[];
}

const tables: fc.Arbitrary<TableCase> = fc
  .array(
    fc.record({
      isNumber: fc.boolean(),
      isMinor: fc.boolean(),
      cells: fc.tuple(fc.tuple(name, number), fc.tuple(name, number)),
    }),
    { minLength: 3, maxLength: 6 },
  )
  .map((found) => ({
    columns: found.map(({ isNumber, isMinor }, i) => ({
      title: `t${i}`,
      ...(isNumber && i > 0 ? { align: 'right' as const } : {}),
      ...(isMinor ? { minor: true as const } : {}),
    })),
    rows: [0, 1].map((row) => found.map(({ isNumber, cells }, i) => cells[row]?.[isNumber && i > 0 ? 1 : 0] ?? '')),
  }));

const widths = fc.integer({ min: 30, max: 90 });

function linesOf({ columns, rows }: TableCase, width: number): readonly string[] {
  return table(columns, rows, { isTTY: true, columns: width }).trimEnd().split('\n');
}

describe('a table on a terminal', () => {
  it('is never wider than the terminal', () => {
    fc.assert(
      fc.property(tables, widths, (shown, width) => {
        const { length } = shown.rows;
        for (const line of linesOf(shown, width).slice(0, length + 1))
          expect(displayWidth(line)).toBeLessThanOrEqual(width);
      }),
      { numRuns: tries(200) },
    );
  });

  it('shows each number whole, or says that there is no room for its column', () => {
    fc.assert(
      fc.property(tables, widths, (shown, width) => {
        const [, ...lines] = linesOf(shown, width);
        const leftOut = lines[shown.rows.length]?.match(/^No room for: (.*)\.$/)?.[1]?.split(', ') ?? [];
        for (const [row, cells] of shown.rows.entries()) {
          for (const [i, cell] of cells.entries()) {
            const { title = '', align } = shown.columns[i] ?? {};
            if (align === 'right' && !leftOut.includes(title)) expect(lines[row]?.split(/ +/)).toContain(cell);
          }
        }
      }),
      { numRuns: tries(200) },
    );
  });

  it('leaves out minor columns first', () => {
    const columns: readonly Column[] = [
      { title: 'run' },
      { title: 'began', align: 'right', minor: true },
      { title: 'valid', align: 'right' },
    ];
    const rows = [['first-run', '20261128073200', '76.8']];
    const text = table(columns, rows, { isTTY: true, columns: 20 });
    expect(text).toBe('run        valid\nfirst-run   76.8\nNo room for: began.\n');
  });

  it('cuts texts as far as they stay readable', () => {
    const columns: readonly Column[] = [{ title: 'knob' }, { title: 'reason' }];
    const rows = [['3.data', 'more data: a quarter of the estimated worth']];
    const text = table(columns, rows, { isTTY: true, columns: 30 });
    expect(text).toBe('knob    reason\n3.data  more data: a quarter …\n');
  });

  it('shows prose below its row, without a title, if its column does not fit', () => {
    const columns: readonly Column[] = [{ title: 'knob' }, { title: 'reason', wraps: true }];
    const rows = [['a-knob-with-a-long-name', 'more data: a quarter of the estimated worth']];
    const text = table(columns, rows, { isTTY: true, columns: 34 });
    expect(text).toBe('knob\na-knob-with-a-long-name\n    more data: a quarter of the\n    estimated worth\n');
  });
});
