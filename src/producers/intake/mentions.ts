// Whether the JSON of an event may have a key, told from its bytes: most have none, and are then not walked through.

const keys = { text: Buffer.from('"text"'), blob: Buffer.from('"blob"'), reference: Buffer.from('"reference"') };

/** How any letter may be written too. */
const anyLetter = Buffer.from('\\u');

/** False only where it has no such key. */
export function mentions(json: Buffer, key: keyof typeof keys): boolean {
  return json.includes(keys[key]) || json.includes(anyLetter);
}
