/** What is typed in a form: it is found again when the page was loaded again or the session has ended. Secrets are kept nowhere. */
import { useRef, useState } from 'react';
import { useKept } from './use-kept.js';

interface Kept<T> {
  readonly values: Partial<T>;
  /** What was changed, as of then. */
  readonly basis: string;
  /** A secret was typed as well. */
  readonly hasSecret: boolean;
}

interface Options<T> {
  /** The fields that are only on the page. */
  readonly secrets?: readonly (keyof T)[];
  /** Says which state of what is saved is changed, such as its version. */
  readonly basis?: string;
}

export interface Typed<T> {
  readonly values: T;
  readonly set: (change: Partial<T>) => void;
  /** What was saved when the typing began. */
  readonly basis: string;
  /** The form was opened with what was typed before. */
  readonly found: { readonly lacksSecret: boolean; readonly isOutdated: boolean } | undefined;
  /** It is saved, or not wanted any more: the next form begins anew. */
  readonly forget: () => void;
  /** The press of a button that closes the form. */
  readonly forgetAnd: (close: () => void) => () => void;
  /** Begins anew in this form. */
  readonly restart: () => void;
}

/** @param name of the form, and of what it changes @param given what the form begins with */
export function useTyped<T extends object>(name: string, given: T, options: Options<T> = {}): Typed<T> {
  const { secrets = [], basis = '' } = options;
  // What is saved meanwhile changes neither the form nor what it began with.
  const [{ first, firstBasis }, setFirst] = useState({ first: given, firstBasis: basis });
  const [kept, keep, forget] = useKept<Kept<T> | null>(name, null);
  const [found, setFound] = useState(kept);
  const [hidden, setHidden] = useState<Partial<T>>({});
  const values: T = { ...first, ...kept?.values, ...hidden };
  const newest = useRef(values);
  newest.current = values;
  const begun = kept?.basis ?? firstBasis;
  const set = (change: Partial<T>) => {
    const next = { ...newest.current, ...change };
    newest.current = next;
    const isSecret = (key: string) => secrets.includes(key as keyof T);
    const part = (wanted: boolean) =>
      Object.fromEntries(Object.entries(next).filter(([key]) => isSecret(key) === wanted)) as Partial<T>;
    setHidden(part(true));
    keep({ values: part(false), basis: begun, hasSecret: secrets.some((key) => next[key] !== first[key]) });
  };
  const isUntouched = secrets.every((key) => values[key] === first[key]);
  return {
    ...{ values, set, forget, basis: begun },
    forgetAnd: (close) => () => {
      forget();
      close();
    },
    found:
      found === null
        ? undefined
        : { lacksSecret: found.hasSecret && isUntouched, isOutdated: basis !== '' && found.basis !== basis },
    restart: () => {
      keep(null);
      forget();
      setFound(null);
      setHidden({});
      setFirst({ first: given, firstBasis: basis });
    },
  };
}
