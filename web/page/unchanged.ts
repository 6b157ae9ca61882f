// What two answers have in common stays the same object, so that only what has changed is drawn again: a chart that is drawn again
// loses the focus of the keyboard.

/** `after`, with every part that equals the one at the same place before replaced by that one. Both are JSON. */
export function keepingEqual<Value>(before: unknown, after: Value): Value {
  if (before === after || !isHolder(before) || !isHolder(after) || Array.isArray(before) !== Array.isArray(after))
    return after;
  // As entries: a ledger of somebody else may have a member called __proto__.
  const entries = Object.entries(after).map(([name, part]) => [name, keepingEqual(own(before, name), part)] as const);
  const isEqual =
    entries.length === Object.keys(before).length &&
    entries.every(([name, part]) => Object.hasOwn(before, name) && part === before[name]);
  if (isEqual) return before as Value;
  return (Array.isArray(after) ? entries.map(([, part]) => part) : Object.fromEntries(entries)) as Value;
}

function own(before: Holder, name: string): unknown {
  return Object.hasOwn(before, name) ? before[name] : undefined;
}

type Holder = Record<string, unknown>;

function isHolder(value: unknown): value is Holder {
  return typeof value === 'object' && value !== null;
}
