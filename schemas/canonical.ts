// Canonical JSON (RFC 8785): one text for one value, so that digests are meaningful. Keys are sorted by UTF-16 code units;
// numbers and strings are written as ECMAScript writes them, as the RFC prescribes. Values that JSON cannot hold (NaN,
// undefined in a list, lone surrogates, dates) are refused and never converted.
//
// JSON.stringify makes it fast: a value whose keys are already in order goes through it directly; other values are copied in
// order first. Only objects with keys like "10", which JavaScript always orders itself, are written piece by piece.
import { IcecoreError } from './errors.ts';

/** Deeper nesting is refused, because it is a mistake or an attack. */
export const deepestNesting = 256;

/** The value contains something that JSON cannot hold, such as NaN, a date or a lone surrogate. */
export class NotCanonical extends IcecoreError {
  override readonly name = 'NotCanonical';
  /** Where in the value, as a path like `data.rewards[2]`. */
  readonly field: string;
  readonly found: string;

  constructor(field: string, found: string) {
    super('bad-input', `${field === '' ? 'the value' : field} has no canonical JSON: found ${found}`, {
      facts: { field, found },
    });
    this.field = field;
    this.found = found;
  }
}

/** The unique text (RFC 8785) of a JSON value. Throws NotCanonical. */
export function canonicalJson(value: unknown): string {
  const notes: Notes = { refused: false, pieced: false };
  const inOrder = ordered(value, 0, notes);
  if (notes.refused) throw findFault(value);
  const text = notes.pieced ? piece(value) : JSON.stringify(inOrder);
  // JSON.stringify writes \udXXX only for a lone surrogate, so a text without it has none.
  if (text.includes('\\ud') && hasLoneSurrogate(value)) throw findFault(value);
  return text;
}

/** A value that is already written. The creator guarantees that the text equals what `canonicalJson` makes of the value. */
export class CanonicalText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Findings of the walk through a value. */
interface Notes {
  /** It contains something that JSON cannot hold. */
  refused: boolean;
  /** It has keys that a JavaScript object cannot hold in canonical order. */
  pieced: boolean;
}

/** The value itself if all its keys are in order, otherwise a copy with ordered keys. */
function ordered(value: unknown, depth: number, notes: Notes): unknown {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      if (!Number.isFinite(value)) notes.refused = true;
      return value;
    case 'object':
      if (value === null) return value;
      if (depth <= deepestNesting) {
        if (Array.isArray(value)) return orderedList(value, depth, notes);
        if (isPlain(value)) return orderedObject(value as Fields, depth, notes);
      }
  }
  notes.refused = true;
  return value;
}

function orderedList(list: readonly unknown[], depth: number, notes: Notes): readonly unknown[] {
  let copy: unknown[] | null = null;
  for (let i = 0; i < list.length; i++) {
    const member = list[i];
    const inOrder = ordered(member, depth + 1, notes);
    if (notes.refused) return list;
    if (copy === null && inOrder !== member) copy = list.slice(0, i);
    copy?.push(inOrder);
  }
  return copy ?? list;
}

function orderedObject(object: Fields, depth: number, notes: Notes): Fields {
  const shape = shapeOf(Object.keys(object));
  if (shape.pieced) notes.pieced = true;
  let result = shape.inOrder ? object : rebuild(shape, object);
  for (const key of shape.sorted) {
    const member = object[key];
    if (isSettled(member)) continue;
    const inOrder = ordered(member, depth + 1, notes);
    if (notes.refused) return object;
    if (inOrder === member) continue;
    if (result === object) result = rebuild(shape, object);
    result[key] = inOrder;
  }
  return result;
}

/** Most members are texts and numbers, which need no further call. */
function isSettled(member: unknown): boolean {
  switch (typeof member) {
    case 'string':
    case 'boolean':
    case 'undefined':
      return true;
    case 'number':
      return Number.isFinite(member);
    default:
      return member === null;
  }
}

type Fields = Record<string, unknown>;

/** Facts about objects with these keys in this order. Events of a type share a few such lists of keys. */
interface Shape {
  readonly keys: readonly string[];
  readonly sorted: readonly string[];
  readonly inOrder: boolean;
  /** JavaScript lists keys like "10" first and by number, however they were set; setting `__proto__` sets no key. */
  readonly pieced: boolean;
  copy: (object: Fields) => Fields;
  copies: number;
}

/** Code generated for one list of keys copies several times faster, but pays off only for keys that recur. */
const copiesBeforeCode = 32;

/** A new object with the same members in canonical order. */
function rebuild(shape: Shape, object: Fields): Fields {
  if (++shape.copies === copiesBeforeCode) shape.copy = generatedCopier(shape.sorted);
  return shape.copy(object);
}

const shapes = new Map<string, Shape[]>();
/** Objects used as maps have a new shape each, so the cache is bounded. */
const mostShapes = 5000;
const mostAlike = 8;
const mostKeys = 64;

function shapeOf(keys: readonly string[]): Shape {
  const first = keys[0];
  if (first === undefined) return emptyShape;
  const alike = shapes.get(first);
  if (alike !== undefined) {
    for (let i = 0; i < alike.length; i++) {
      const shape = alike[i] as Shape;
      if (hasKeys(shape.keys, keys)) return shape;
    }
  }
  const shape = describe(keys);
  if (keys.length > mostKeys) return shape;
  if (shapes.size >= mostShapes) shapes.clear();
  if (alike === undefined) shapes.set(first, [shape]);
  else if (alike.length < mostAlike) alike.push(shape);
  else alike[alike.length - 1] = shape;
  return shape;
}

function hasKeys(known: readonly string[], keys: readonly string[]): boolean {
  if (known.length !== keys.length) return false;
  for (let i = 0; i < known.length; i++) if (known[i] !== keys[i]) return false;
  return true;
}

const emptyShape: Shape = { keys: [], sorted: [], inOrder: true, pieced: false, copy: copier([]), copies: 0 };

function describe(keys: readonly string[]): Shape {
  const sorted = [...keys].sort();
  const inOrder = hasKeys(sorted, keys);
  const indexed = /^[0-9]/.test(keys[0] as string);
  const pieced = keys.includes('__proto__') || (indexed && !inOrder);
  return { keys, sorted, inOrder, pieced, copy: copier(sorted), copies: 0 };
}

function copier(keys: readonly string[]): (object: Fields) => Fields {
  return (object) => {
    const copy: Fields = {};
    for (const key of keys) copy[key] = object[key];
    return copy;
  };
}

/** Falls back to a generic copy where code generation is forbidden. */
function generatedCopier(keys: readonly string[]): (object: Fields) => Fields {
  if (keys.includes('__proto__')) return copier(keys);
  const members = keys.map((key) => JSON.stringify(key)).map((key) => `${key}: o[${key}]`);
  try {
    return new Function('o', `return { ${members.join(', ')} }`) as (object: Fields) => Fields;
  } catch {
    return copier(keys);
  }
}

function isPlain(object: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(object);
  return prototype === Object.prototype || prototype === null;
}

function piece(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(piece).join(',')}]`;
  const object = value as Record<string, unknown>;
  let text = '';
  for (const key of Object.keys(object).sort()) {
    const member = object[key];
    if (member !== undefined) text += `${text === '' ? '' : ','}${JSON.stringify(key)}:${piece(member)}`;
  }
  return `{${text}}`;
}

function hasLoneSurrogate(value: unknown): boolean {
  if (typeof value === 'string') return !value.isWellFormed();
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some(hasLoneSurrogate);
  return Object.entries(value).some(([key, member]) => !key.isWellFormed() || hasLoneSurrogate(member));
}

/** Walks a refused value again with the path, to name the faulty field. */
function findFault(value: unknown): NotCanonical {
  return fault(value, '', 0) ?? new NotCanonical('', 'something JSON cannot hold');
}

function fault(value: unknown, path: string, depth: number): NotCanonical | null {
  if (depth > deepestNesting)
    return new NotCanonical(`${path.slice(0, 80)}…`, `nesting deeper than ${deepestNesting} levels`);
  switch (typeof value) {
    case 'string':
      return value.isWellFormed() ? null : new NotCanonical(path, 'a text with a lone surrogate');
    case 'number':
      return Number.isFinite(value) ? null : new NotCanonical(path, String(value));
    case 'boolean':
      return null;
    case 'object':
      return value === null ? null : faultWithin(value, path, depth);
    default:
      return new NotCanonical(path, value === undefined ? 'undefined' : `a ${typeof value}`);
  }
}

function faultWithin(value: object, path: string, depth: number): NotCanonical | null {
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      const found = fault(value[i], `${path}[${i}]`, depth + 1);
      if (found !== null) return found;
    }
    return null;
  }
  if (!isPlain(value)) return new NotCanonical(path, `a ${value.constructor.name}`);
  for (const [key, member] of Object.entries(value)) {
    const below = path === '' ? key : `${path}.${key}`;
    if (!key.isWellFormed()) return new NotCanonical(below, 'a key with a lone surrogate');
    const found = member === undefined ? null : fault(member, below, depth + 1);
    if (found !== null) return found;
  }
  return null;
}
