// A walk through a room: in letters for terminals and models, and for pages as pictures with the hazards in a row, one per step.
import type { Drawing } from '../../src/library/plugins/index.ts';
import { actions, type Hazard, phases, type Room, walked } from './rooms.ts';

/** Null: the answer is no sequence of actions; undefined: there is no answer. */
export function roomDrawing(room: Room, answer: string | null | undefined): Drawing {
  const { hazards: all } = room;
  const result = typeof answer === 'string' ? walked(room, answer) : null;
  const end = result === null ? 0 : result.passed ? all.length : result.at;
  const failed = result?.passed === false ? result.at : null;
  const marks = all.map((_, i) => (result === null || i > end ? '.' : i === failed ? 'x' : 'o'));
  const says =
    answer === null
      ? ' no actions'
      : answer === undefined
        ? ''
        : ` ${answer.length} action${answer.length === 1 ? '' : 's'}`;
  const text = `> ${marks.map((mark) => `${mark} `).join('')}>${says}`;
  const svg = picture(room, { passed: end, failed, says: `a room with ${all.length} hazards` });
  return typeof answer === 'string' ? { text, svg, frames: framesOf(room, answer) } : { text, svg };
}

/** Up to the first wrong action. */
function framesOf(room: Room, answer: string): NonNullable<Drawing['frames']> {
  const result = walked(room, answer);
  const last = result.passed ? room.hazards.length * phases : result.step;
  return Array.from({ length: last + 1 }, (_, step) => {
    const isFailed = !result.passed && step === last;
    const says = captionOf(room, answer, step, isFailed);
    const passed = Math.floor((isFailed ? step - 1 : step) / phases);
    return { svg: picture(room, { passed, failed: isFailed ? passed : null, says }), says };
  });
}

const names: ReadonlyMap<string, string> = new Map(Object.entries(actions).map(([name, letter]) => [letter, name]));

function captionOf({ hazards: all }: Room, answer: string, step: number, isFailed: boolean): string {
  if (step === 0) return all.length === 0 ? 'start: the room has no hazards' : 'start';
  const hazard = all[Math.floor((step - 1) / phases)] ?? '';
  const action = names.get(answer[step - 1] ?? '') ?? 'no action';
  if (isFailed) return `step ${step}: ${action} at the ${hazard}, which ends the walk`;
  return `step ${step}: ${action} at the ${hazard}${step % phases === 0 ? ', which is passed' : ''}`;
}

interface Scene {
  /** The number of hazards before the walker. */
  readonly passed: number;
  readonly failed: number | null;
  readonly says: string;
}

const [pitch, box, margin, height] = [92, 80, 16, 104];

function picture({ hazards: all }: Room, { passed, failed, says }: Scene): string {
  const width = 2 * margin + Math.max(1, all.length) * pitch + 24;
  const boxes = all.map((hazard, i) => boxOf(hazard, i, i === failed ? 'failed' : i < passed ? 'passed' : 'ahead'));
  const walker = `<circle class="room-walker" cx="${margin + 6 + passed * pitch}" cy="${height - 18}" r="8"/>`;
  const size = `viewBox="0 0 ${width} ${height}" width="${width}" height="${height}"`;
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" class="room" role="img" ${size}><title>${says}</title><style>${style}</style>` +
    `<rect class="room-page" width="${width}" height="${height}" rx="8"/>${boxes.join('')}${walker}</svg>`
  );
}

const signs = { failed: '×', passed: '✓', ahead: '' } as const;

function boxOf(hazard: Hazard, i: number, state: keyof typeof signs): string {
  const left = margin + 12 + i * pitch;
  const middle = left + box / 2;
  return (
    `<rect class="room-${state}" x="${left}" y="16" width="${box}" height="52" rx="6"/>` +
    `<text x="${middle}" y="40">${hazard}</text><text x="${middle}" y="60">${signs[state]}</text>`
  );
}

const style =
  '.room{--page:#fff;--ink:#16222e;--line:#66788a;--good:#dcefe2;--bad:#fadadd;--walker:#1f4fe0;font:13px ui-sans-serif,system-ui,sans-serif}' +
  '@media(prefers-color-scheme:dark){.room{--page:#0e1721;--ink:#e6eef5;--line:#8a9bab;--good:#16402a;--bad:#5c1a22;--walker:#68a4f8}}' +
  '.room text{fill:var(--ink);text-anchor:middle}.room rect{stroke:var(--line)}.room .room-page{fill:var(--page);stroke:none}' +
  '.room-ahead{fill:none}.room-passed{fill:var(--good)}.room-failed{fill:var(--bad);stroke-width:2}.room-walker{fill:var(--walker)}';
