import { describe, expect, it } from 'vitest';
import { shortTurnText, stepsText } from './figures.ts';

describe('a small change of a knob', () => {
  it('has as many digits as it takes to see it', () => {
    expect(shortTurnText({ from: 0.12345, to: 0.28765 })).toBe('0.123 → 0.288');
    expect(shortTurnText({ from: 0.016842, to: 0.016801 })).toBe('0.01684 → 0.0168');
    expect(shortTurnText({ from: 0.5, to: 0.5 })).toBe('0.5 → 0.5');
    expect(shortTurnText({ from: null, to: 2 })).toBe('none → 2');
  });

  it('is never of no steps', () => {
    expect(stepsText(-0.0008)).toBe('less than 0.01 steps');
    expect(stepsText(-2)).toBe('-2 steps');
    expect(stepsText(0)).toBe('+0 steps');
  });
});
