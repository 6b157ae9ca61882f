// A line that shows where somebody else's text begins and ends. The text cannot contain it: it follows from the text, so
// that whoever wrote the text could not know it, and it is looked for all the same.
import { digestOf } from '../../environments/digest.ts';

export function fenceAround(text: string): string {
  for (let tried = 0; ; tried++) {
    const fence = `===== ${digestOf([text.toWellFormed(), tried]).slice(0, 20)} =====`;
    if (!text.includes(fence)) return fence;
  }
}
