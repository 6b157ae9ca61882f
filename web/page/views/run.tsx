import type { ViewProps } from '../shell.tsx';

export function Run({ route }: ViewProps) {
  return <h1>{route.of}</h1>;
}
