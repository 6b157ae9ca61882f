// How events are filed beside their bytes, for whoever loads no schemas.

/** What a Date can hold. */
export function isMoment(milliseconds: number): boolean {
  return Number.isInteger(milliseconds) && Math.abs(milliseconds) <= 8.64e15;
}

/** The id an event is filed under, written as ids are. */
export function uuidOf({ filedId }: { readonly filedId: string }): string {
  return filedId.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
