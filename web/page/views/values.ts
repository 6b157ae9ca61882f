/** Any value of a setting in words. */
export function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value !== 'object') return String(value);
  if (Array.isArray(value)) return value.map(textOf).join(', ');
  return Object.entries(value)
    .map(([name, one]) => `${name} ${textOf(one)}`)
    .join(', ');
}
