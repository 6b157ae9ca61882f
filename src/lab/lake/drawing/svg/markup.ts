// Elements as text, with everything that comes from outside made harmless.

export type Attributes = Readonly<Record<string, string | number>>;

/** Children are markup: texts among them have gone through `escaped`. */
export function element(name: string, attributes: Attributes, ...children: readonly string[]): string {
  const words = Object.entries(attributes).map(([key, value]) => ` ${key}="${attributeText(value)}"`);
  const open = `<${name}${words.join('')}`;
  return children.length === 0 ? `${open}/>` : `${open}>${children.join('')}</${name}>`;
}

function attributeText(value: string | number): string {
  return typeof value === 'number' ? figure(value) : escaped(value);
}

/** What XML does not allow at all becomes the replacement character. */
export function escaped(text: string): string {
  return text
    .toWellFormed()
    .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd')
    .replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** To a tenth: finer than any eye, and the same on every machine. */
export function figure(value: number): string {
  const tenths = Math.round(value * 10) / 10;
  return Object.is(tenths, -0) ? '0' : String(tenths);
}

/** Coordinates for a path, as short as they can be written. */
export function figures(...values: readonly number[]): string {
  return values.map(figure).reduce((all, next) => `${all}${all === '' || next.startsWith('-') ? '' : ' '}${next}`, '');
}
