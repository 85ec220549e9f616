/** What a page does when somebody asks for it: whether it is under way, and why it has failed. */
import { useRef, useState } from 'react';

export function useAttempt() {
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const isUnderWay = useRef(false);
  /** Does it, unless it is being done: Enter in a field and a second click ask again. What it throws is the error until the next attempt. */
  const attempt = async (act: () => Promise<unknown>): Promise<void> => {
    if (isUnderWay.current) return;
    isUnderWay.current = true;
    setBusy(true);
    setError(undefined);
    try {
      await act();
    } catch (failure) {
      setError(failure);
    }
    isUnderWay.current = false;
    setBusy(false);
  };
  return { attempt, error, isBusy };
}
