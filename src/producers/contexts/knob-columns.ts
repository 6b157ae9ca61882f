// Knobs of families that are alike stand in one column: `8.hole` in the row of family 8 and the column `hole`.

export function columnOfKnob(knob: string, family: string | null): string {
  return family !== null && knob.startsWith(`${family}.`) && knob.length > family.length + 1
    ? knob.slice(family.length + 1)
    : knob;
}
