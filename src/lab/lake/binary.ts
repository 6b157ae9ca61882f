// An instance in few bytes, for keeping many: 15 of them for two agents on 8 x 8. In this order:
//
//     1              the version of this form
//     1              size
//     1              the number of agents
//     size^2 / 8     a bit a cell, 1 where there is a hole; cell 0 is the lowest bit of the first byte, spare bits are 0
//     2 or 4 each    every agent's start and goal, two bytes a cell, high byte first, where one cannot hold every cell
//
// It is the whole instance but for its id, and every instance has one such form only.
import {
  type Agent,
  type Cell,
  type Instance,
  largestSize,
  mostAgents,
  NotAnInstance,
  smallestSize,
} from './instance.ts';
import { requireApart } from './line.ts';

const version = 1;
const head = 3;

export function bytesOf({ size, holes, agents }: Instance): Uint8Array {
  const bytes = new Uint8Array(lengthOf(size, agents.length));
  bytes.set([version, size, agents.length]);
  for (const [cell, is] of holes.entries()) {
    if (is === 1) bytes[head + (cell >> 3)] = (bytes[head + (cell >> 3)] as number) | (1 << (cell & 7));
  }
  const width = widthOf(size);
  let at = head + holeBytes(size);
  for (const cell of agents.flatMap(({ start, goal }) => [start, goal])) {
    if (width === 2) bytes[at] = cell >> 8;
    bytes[at + width - 1] = cell & 255;
    at += width;
  }
  return bytes;
}

/** Throws NotAnInstance for bytes that are torn, changed so that they make no sense, or of something else. */
export function fromBytes(bytes: Uint8Array): Instance {
  requireByte(bytes, 0, 'the version of this form', version, version);
  const size = requireByte(bytes, 1, 'a size', smallestSize, largestSize);
  const count = requireByte(bytes, 2, 'a number of agents', 1, mostAgents);
  const length = lengthOf(size, count);
  if (bytes.length !== length) {
    throw new NotAnInstance(
      '',
      `${bytes.length} bytes`,
      `${length} bytes, for size ${size} and number of agents ${count}`,
    );
  }
  const holes = holesIn(bytes, size);
  const agents = Array.from({ length: count }, (_, i) => agentIn(bytes, i, size));
  requireApart(agents, size, holes);
  return { size, holes, agents };
}

const holeBytes = (size: number): number => Math.ceil(size ** 2 / 8);
const widthOf = (size: number): number => (size ** 2 <= 256 ? 1 : 2);
const lengthOf = (size: number, agents: number): number => head + holeBytes(size) + 2 * agents * widthOf(size);

function requireByte(bytes: Uint8Array, at: number, what: string, min: number, max: number): number {
  const byte = bytes[at];
  if (byte !== undefined && byte >= min && byte <= max) return byte;
  const range = min === max ? String(min) : `from ${min} to ${max}`;
  throw new NotAnInstance(`byte ${at}`, String(byte ?? 'nothing'), `${what}, ${range}`);
}

function holesIn(bytes: Uint8Array, size: number): Uint8Array {
  const bit = (at: number): number => ((bytes[head + (at >> 3)] as number) >> (at & 7)) & 1;
  const cells = size ** 2;
  for (let spare = cells; spare < 8 * holeBytes(size); spare++) {
    if (bit(spare) !== 0) throw new NotAnInstance(`byte ${head + (spare >> 3)}`, 'a hole beyond the last cell', 'none');
  }
  return Uint8Array.from({ length: cells }, (_, cell) => bit(cell));
}

function agentIn(bytes: Uint8Array, i: number, size: number): Agent {
  const width = widthOf(size);
  const at = head + holeBytes(size) + 2 * i * width;
  return {
    start: cellIn(bytes, at, size, `agents[${i}].start`),
    goal: cellIn(bytes, at + width, size, `agents[${i}].goal`),
  };
}

function cellIn(bytes: Uint8Array, at: number, size: number, field: string): Cell {
  const first = bytes[at] as number;
  const cell = widthOf(size) === 1 ? first : (first << 8) | (bytes[at + 1] as number);
  if (cell < size ** 2) return cell;
  throw new NotAnInstance(field, `cell ${cell}`, `a cell from 0 to ${size ** 2 - 1}`);
}
