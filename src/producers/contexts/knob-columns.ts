// Knobs of groups that are alike stand in one column: `8.hole` in the row of group 8 and the column `hole`.

export function columnOfKnob(knob: string, group: string | null): string {
  return group !== null && knob.startsWith(`${group}.`) && knob.length > group.length + 1
    ? knob.slice(group.length + 1)
    : knob;
}
