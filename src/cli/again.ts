// An option that may be typed again, each time with one value: what stands behind it is never taken for another.
export function again(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}
