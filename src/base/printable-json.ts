// JSON for programs that is also safe to print on a terminal.

// JSON.stringify escapes control characters only up to U+001F; the others that control a terminal are escaped here.
const steering = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** One line of JSON: the same value as JSON.stringify's, with all terminal control characters escaped. */
export function jsonText(value: unknown): string {
  return escapeControlsInJson(JSON.stringify(value));
}

/** JSON with all terminal control characters escaped. */
export function escapeControlsInJson(json: string): string {
  return json.replace(steering, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
