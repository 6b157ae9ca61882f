// Canonical JSON (RFC 8785): one text for one value, so that a digest of it means something. Keys are sorted by UTF-16
// code units; numbers and strings are written as ECMAScript writes them, which is what the RFC prescribes. What JSON
// cannot hold (NaN, undefined in a list, lone surrogates, dates) is refused, never bent.
//
// The speed comes from JSON.stringify: a value whose keys already stand in order goes through it as it is, one whose keys
// do not is copied in order first. Only objects with keys like "10", which JavaScript insists on ordering itself, are
// written piece by piece.
import { IcecoreError } from './errors.ts';

/** Deeper nesting is refused: it is either a mistake or an attack. */
export const deepestNesting = 256;

/** The value has something that JSON cannot hold, such as NaN, a date or a lone surrogate. */
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

/** The one text (RFC 8785) that JSON values with equal content share. Throws NotCanonical. */
export function canonicalJson(value: unknown): string {
  const notes: Notes = { refused: false, pieced: false };
  const inOrder = ordered(value, 0, notes);
  if (notes.refused) throw findFault(value);
  const text = notes.pieced ? piece(value) : JSON.stringify(inOrder);
  // JSON.stringify escapes a lone surrogate as \udXXX and nothing else that way: no such sequence, no fault.
  if (text.includes('\\ud') && hasLoneSurrogate(value)) throw findFault(value);
  return text;
}

/** A value that is written already: who makes one vouches that the text is what `canonicalJson` makes of the value. */
export class CanonicalText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** What was noticed on the way through a value. */
interface Notes {
  /** There is something in it that JSON cannot hold. */
  refused: boolean;
  /** Keys in it cannot be put in order in a JavaScript object. */
  pieced: boolean;
}

/** The value itself where all its keys stand in order, otherwise a copy in which they do. */
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

/** Most members are texts and numbers: no need to call for them. */
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

/** What is known of objects with these keys set in this order. Events of a type come with the same few. */
interface Shape {
  readonly keys: readonly string[];
  readonly sorted: readonly string[];
  readonly inOrder: boolean;
  /** JavaScript lists keys like "10" first and by number, whatever the order they are set in; `__proto__` is no key to set. */
  readonly pieced: boolean;
  copy: (object: Fields) => Fields;
  copies: number;
}

/** Code made for one list of keys copies several times faster, but is worth making only for keys that come again. */
const copiesBeforeCode = 32;

/** A new object with the same members, set in order. */
function rebuild(shape: Shape, object: Fields): Fields {
  if (++shape.copies === copiesBeforeCode) shape.copy = generatedCopier(shape.sorted);
  return shape.copy(object);
}

const shapes = new Map<string, Shape[]>();
/** Objects used as maps have a new shape each: they must not fill the memory. */
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

/** Where code must not be generated, it is done without. */
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

/** Walks a refused value again, this time keeping the path, to say where the fault lies. */
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
