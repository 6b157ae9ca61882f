// JSON for programs that is safe on a terminal too.

// JSON.stringify escapes the control characters up to U+001F only; the rest of what steers a terminal is escaped here.
const steering = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** One line of JSON: the same value as JSON.stringify's, with everything that steers a terminal escaped. */
export function jsonText(value: unknown): string {
  return escapeSteering(JSON.stringify(value));
}

/** JSON with everything that steers a terminal escaped. */
export function escapeSteering(json: string): string {
  return json.replace(steering, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
