// What no store takes more of.

/** Of one event; larger texts go elsewhere (blobs). EventStoreDB takes a mebibyte in one append. */
export const maxEventBytes = 1_000_000;
