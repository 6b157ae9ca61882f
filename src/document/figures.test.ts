import { describe, expect, it } from 'vitest';
import { courseWithPoints, shortTurnText, stepsText, wholePoints } from './figures.ts';

describe('a small change of a knob', () => {
  it('has as many digits as needed to show it', () => {
    expect(shortTurnText({ from: 0.12345, to: 0.28765 })).toBe('0.123 → 0.288');
    expect(shortTurnText({ from: 0.016842, to: 0.016801 })).toBe('0.01684 → 0.0168');
    expect(shortTurnText({ from: 0.5, to: 0.5 })).toBe('0.5 → 0.5');
    expect(shortTurnText({ from: null, to: 2 })).toBe('none → 2');
  });

  it('is not rounded to zero steps', () => {
    expect(stepsText(-0.0008)).toBe('less than 0.01 knob steps');
    expect(stepsText(-2)).toBe('-2 knob steps');
    expect(stepsText(0)).toBe('+0 knob steps');
  });
});

describe('two rates and their difference', () => {
  it('are rounded without floating-point errors of the subtraction', () => {
    expect(wholePoints(0.0025, 0.0375)).toBe('+4');
    expect(wholePoints(0.3, 0.1)).toBe('-20');
  });

  it('agree after rounding: in whole percents, or with more digits if needed', () => {
    expect(courseWithPoints(0.24, 0.63)).toEqual({ course: '24 → 63 %', points: '+39 points' });
    expect(courseWithPoints(0.006, 0.124)).toEqual({ course: '0.6 → 12.4 %', points: '+11.8 points' });
    expect(courseWithPoints(0.5, 0.5)).toEqual({ course: '50 → 50 %', points: '0 points' });
    expect(courseWithPoints(0.6, 0.55)).toEqual({ course: '60 → 55 %', points: '-5 points' });
    expect(courseWithPoints(0.004, 0.125)).toEqual({ course: '0.4 → 12.5 %', points: '+12.1 points' });
    expect(courseWithPoints(0.0025, 0.0375)).toEqual({ course: '0.3 → 3.8 %', points: '+3.5 points' });
    expect(courseWithPoints(0.0001, 0.5)).toEqual({ course: '<0.1 → 50.0 %', points: '+50.0 points' });
    expect(courseWithPoints(0, 0.0075)).toEqual({ course: '0.0 → 0.8 %', points: '+0.8 points' });
    expect(courseWithPoints(0, 0.005)).toEqual({ course: '0.0 → 0.5 %', points: '+0.5 points' });
    expect(courseWithPoints(0.2, 0.209)).toEqual({ course: '20 → 21 %', points: '+1 point' });
    // A difference that would round to 0 has more digits.
    expect(courseWithPoints(0.0075, 0.01)).toEqual({ course: '0.75 → 1.00 %', points: '+0.25 points' });
    expect(courseWithPoints(0.768, 0.77)).toEqual({ course: '76.8 → 77.0 %', points: '+0.2 points' });
    expect(courseWithPoints(null, 0.5)).toEqual({ course: '50 %', points: '' });
  });
});
