// Colours in a terminal: numbers of the 256-colour table that do not depend on anybody's theme, chosen to be told apart
// by colour-blind eyes and to be read on dark and on light ground alike.

export interface Ink {
  /** Of the letters; none is the terminal's own. */
  readonly colour?: number;
  /** Behind them. */
  readonly ground?: number;
  readonly weight?: 'bold' | 'faint';
}

export const plain: Ink = {};
export const faint: Ink = { weight: 'faint' };
export const water: Ink = { colour: 31 };
export const alarm: Ink = { colour: 231, ground: 160, weight: 'bold' };
export const alarming: Ink = { colour: 196, weight: 'bold' };

const black = 16;
const white = 231;

/** Each with the letters that can be read on it. From the ninth agent on they come again; letters tell them apart. */
const colours: readonly (readonly [colour: number, lettersOnIt: number])[] = [
  [33, black],
  [172, black],
  [127, white],
  [28, white],
  [169, black],
  [30, white],
  [99, white],
  [95, white],
];

export interface AgentInks {
  /** The agent itself: a letter on a patch of its colour. */
  readonly body: Ink;
  /** What it wants. */
  readonly goal: Ink;
  readonly trail: Ink;
  /** A trail as it would have gone on. */
  readonly ghost: Ink;
}

const inks = colours.map(
  ([colour, lettersOnIt]): AgentInks => ({
    body: { colour: lettersOnIt, ground: colour, weight: 'bold' },
    goal: { colour, weight: 'bold' },
    trail: { colour },
    ghost: { colour, weight: 'faint' },
  }),
);

export function inksOf(agent: number): AgentInks {
  return inks[agent % inks.length] as AgentInks;
}

export function inked(text: string, { colour, ground, weight }: Ink): string {
  const codes: string[] = [];
  if (weight !== undefined) codes.push(weight === 'bold' ? '1' : '2');
  if (colour !== undefined) codes.push(`38;5;${colour}`);
  if (ground !== undefined) codes.push(`48;5;${ground}`);
  return codes.length === 0 ? text : `\u001b[${codes.join(';')}m${text}\u001b[0m`;
}
