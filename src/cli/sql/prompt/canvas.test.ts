import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { displayWidth } from '../../../base/terminal.ts';
import { Canvas } from './canvas.ts';
import { continuation, layout, promptText, type View } from './layout.ts';
import { read } from './statements.ts';
import { Seen } from './testing/seen.ts';

const characters = fc.constantFrom('a', ' ', ';', "'", '\n', '\t', '語', '👩‍👩‍👧', 'e\u0301');
const views = fc.tuple(fc.array(characters, { maxLength: 80 }), fc.nat()).map(([said, place]): View => {
  const text = said.join('');
  const at = said.slice(0, place % (said.length + 1)).join('').length;
  return { text: { text, at }, prompts: [promptText, ...read(text).marks.map(continuation)] };
});

const plain = (prompt: string): string => prompt;

describe('the layout', () => {
  it('breaks rows where the terminal ends, and has the cursor on one of them', () => {
    fc.assert(
      fc.property(views, fc.integer({ min: 12, max: 40 }), (view, columns) => {
        const { rows, row, column } = layout(view, columns, plain);
        for (const one of rows) expect(displayWidth(one)).toBeLessThanOrEqual(columns);
        expect(row).toBeLessThan(rows.length);
        expect(column).toBeLessThan(columns);
        const { text, at } = view.text;
        const before = layout({ ...view, text: { text: text.slice(0, at), at } }, columns, plain);
        expect({ row, column }).toEqual({ row: before.row, column: before.column });
      }),
    );
  });

  it('is no wider for colours', () => {
    const view: View = { text: { text: 'select 1', at: 8 }, prompts: [promptText] };
    const painted = layout(view, 40, (prompt) => `\u001b[36m${prompt}\u001b[0m`);
    expect(painted).toMatchObject({
      row: 0,
      column: promptText.length + 8,
      rows: ['\u001b[36micecore> \u001b[0mselect 1'],
    });
  });
});

describe('the canvas', () => {
  it('shows the same however it came to it, and leaves the whole text behind', async () => {
    const sizes = fc.record({ columns: fc.integer({ min: 12, max: 40 }), rows: fc.integer({ min: 1, max: 8 }) });
    await fc.assert(
      fc.asyncProperty(sizes, fc.array(views, { minLength: 1, maxLength: 6 }), async ({ columns, rows }, shown) => {
        const last = shown.at(-1);
        if (last === undefined) return;
        const [drawnOver, drawnOnce] = [new Seen(columns, rows), new Seen(columns, rows)];
        const over = canvasOn(drawnOver, columns, rows);
        for (const view of shown) await over.show(view);
        await canvasOn(drawnOnce, columns, rows).show(last);
        expect(drawnOver.text).toBe(drawnOnce.text);
        await over.settle(last);
        const { rows: left } = layout({ ...last, text: { ...last.text, at: 0 } }, columns, plain);
        expect(drawnOver.text).toBe([...left.map((row) => row.trimEnd()), '|'].join('\n'));
      }),
    );
  });
});

function canvasOn(seen: Seen, columns: number, rows: number): Canvas {
  return new Canvas({ isTTY: true, columns, rows, write: async (text) => seen.write(String(text)) }, plain);
}
