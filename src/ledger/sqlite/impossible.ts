// What stands in the file and cannot have been written by icecore.

/** Told as a damaged ledger by whoever knows its path. */
export class DamagedPosition extends Error {
  constructor(position: number) {
    super(`there is no room for as many events as its last position says: ${position}`);
  }
}
