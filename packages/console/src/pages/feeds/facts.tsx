/** Terms and what is said of each. */
import type { ReactNode } from 'react';

export type Fact = readonly [term: string, said: ReactNode];

export function Facts({ facts }: { readonly facts: readonly Fact[] }) {
  return (
    <dl className="facts-list">
      {facts.map(([term, said]) => (
        <div key={term} className="fact">
          <dt>{term}</dt>
          <dd>{said}</dd>
        </div>
      ))}
    </dl>
  );
}
