// Lists of names within sentences.

const mostInSentence = 8;

export function listNames(names: readonly string[], most = 6): string {
  const rest = names.length - most;
  return `${names.slice(0, most).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

/** `a, b and c` */
export function joinWithAnd(names: readonly string[]): string {
  return joined(names, 'and');
}

/** `a, b or c` */
export function joinWithOr(names: readonly string[]): string {
  return joined(names, 'or');
}

function joined(names: readonly string[], word: string): string {
  if (names.length > mostInSentence) return listNames(names, mostInSentence);
  const last = names.at(-1) ?? '';
  return names.length < 2 ? last : `${names.slice(0, -1).join(', ')} ${word} ${last}`;
}

/** `2-4` where no number is missing between the first and the last, else `2,5`. */
export function rangeText(numbers: readonly number[], to = '-', and = ','): string {
  const [first = 1, last = first] = [numbers[0], numbers.at(-1)];
  const isRange = numbers.length > 1 && last - first === numbers.length - 1;
  return isRange ? `${first}${to}${last}` : numbers.join(and);
}
