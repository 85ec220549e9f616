/** State of a page that outlives its being loaded again, in this window. */
import { useCallback, useState } from 'react';

export function useKept<T>(name: string, first: T): [T, (value: T) => void] {
  const key = `longshore.${name}`;
  const [value, setValue] = useState<T>(() => {
    const kept = sessionStorage.getItem(key);
    return kept === null ? first : (JSON.parse(kept) as T);
  });
  const set = useCallback(
    (next: T) => {
      sessionStorage.setItem(key, JSON.stringify(next));
      setValue(next);
    },
    [key],
  );
  return [value, set];
}
