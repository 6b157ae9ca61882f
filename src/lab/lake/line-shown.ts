// A value from outside in the words of a message: short, and as it stood there where that is readable.

/** Longer texts are cut. */
const longestText = 60;

/** Longer lists are counted. A cell has two members, a slip of one has three. */
const longestList = 3;

export function shown(value: unknown): string {
  switch (typeof value) {
    case 'undefined':
      return 'nothing';
    case 'string':
      return JSON.stringify(value.length > longestText ? `${value.slice(0, longestText)}…` : value);
    case 'number':
    case 'boolean':
      return String(value);
    case 'object':
      if (value === null) return 'null';
      return Array.isArray(value) ? list(value) : 'an object';
    default:
      return `a ${typeof value}`;
  }
}

function list(members: readonly unknown[]): string {
  const isPlain = members.length <= longestList && !members.some((member) => typeof member === 'object');
  return isPlain ? `[${members.map(shown).join(', ')}]` : `a list of ${members.length}`;
}
